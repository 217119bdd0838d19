import type { Change } from '../../workspace/commit/change.js';
import type { View } from '../../workspace/view.js';

const LINE_FEED = 10;

/** A line more in a file of lines. Where an editor left the last one without its ending, that comes first. */
export function appendLine(view: View, path: string, line: string): Change {
  const end = view.readEnd(path, 1);
  const isOpen = end.status === 'bytes' && end.size > 0 && end.bytes[0] !== LINE_FEED;
  return {
    path,
    append: new TextEncoder().encode(`${isOpen ? '\n' : ''}${line}\n`),
    offset: end.status === 'bytes' ? end.size : 0,
  };
}
