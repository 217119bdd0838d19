import { matchComponents, readPathGlob } from '../../core/glob.js';

/** Whether a pattern of `confine.bring` names a path from the root. One that cannot be read names nothing. */
export function matchesGlob(glob: string, path: string): boolean {
  const read = readPathGlob(glob);
  return read.status === 'ok' && matchComponents(read.value.components, path.split('/'));
}
