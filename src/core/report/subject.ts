import { readLink } from '../markdown/inline.js';
import type { ActionRecord } from './record.js';

/** The path, the command or what else a record says first. */
export function describeSubject({ metadata }: Pick<ActionRecord, 'metadata'>): string {
  const written = metadata.Description ?? Object.values(metadata)[0] ?? '';
  return readLink(written)?.text ?? written;
}
