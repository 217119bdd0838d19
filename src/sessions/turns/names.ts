import { shorten } from '../../core/shorten.js';
/** From the root. */
export const SESSIONS = '.teddy/sessions';

export type NameRead =
  | { status: 'ok'; name: string }
  /** `reason` is a whole sentence. */
  | { status: 'refused'; reason: string };

const LONGEST_NAME = 60;
const NAME = /^[A-Za-z0-9][A-Za-z0-9._-]*$/;
const TURN = /^\d{1,6}$/;

/** The name of a session is the name of its folder, on any disk. */
export function readSessionName(text: string): NameRead {
  const refuse = (why: string): NameRead => ({
    status: 'refused',
    reason: `${quote(text)} is not a name for a session: ${why}.`,
  });
  if (text.length > LONGEST_NAME) return refuse(`it is longer than ${LONGEST_NAME} characters`);
  if (!NAME.test(text))
    return refuse('it is made of letters, digits, ".", "_" and "-", and begins with a letter or a digit');
  if (text.endsWith('.')) return refuse('it ends in "."');
  return { status: 'ok', name: text };
}

function quote(text: string): string {
  return JSON.stringify(shorten(text, LONGEST_NAME));
}

/** Names that some disks take for one. */
export function isSameName(one: string, other: string): boolean {
  return one.toLowerCase() === other.toLowerCase();
}

/** `3`, `03` or `auth/03`; a session of null is the one that is meant anyway. */
export function readTurnRef(text: string): { session: string | null; turn: number } | undefined {
  const slash = text.lastIndexOf('/');
  const session = slash === -1 ? null : text.slice(0, slash);
  const number = text.slice(slash + 1);
  if (session !== null && readSessionName(session).status === 'refused') return undefined;
  const turn = TURN.test(number) ? Number(number) : 0;
  return turn > 0 ? { session, turn } : undefined;
}

/** `03`, `100` */
export function turnName(turn: number): string {
  return String(turn).padStart(2, '0');
}

/** `auth/03` */
export function turnId(session: string, turn: number): string {
  return `${session}/${turnName(turn)}`;
}

/** From the root. */
export function turnFolder(session: string, turn: number): string {
  return `${SESSIONS}/${turnId(session, turn)}`;
}
