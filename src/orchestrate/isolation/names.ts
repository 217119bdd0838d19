import { randomId, sha256 } from '../../node/ids.js';
import type { PlaceSubject } from './types.js';

/** What a place is called: its folder, and its branch. Each can be told from the other. */
export interface PlaceName {
  /** `03-01-2-1-3fb0x8k2` */
  folder: string;
  /** `teddy/03-01-2/1-3fb0x8k2` */
  branch: string;
}

const PREFIX = 'teddy/';
const TAG = 4;
const SUFFIX = 8;
const LONGEST_TASK = 60;

/** Several projects may share a repository, and each cleans up what is its own: the names say whose they are. */
export class PlaceNames {
  private readonly tag: string;

  constructor(root: string) {
    this.tag = sha256(root).slice(0, TAG);
  }

  make({ taskId, attempt }: PlaceSubject): PlaceName {
    const task = taskId.replace(/[^A-Za-z0-9_]/g, '-').slice(0, LONGEST_TASK);
    return join(task, String(attempt), this.tag + randomId(SUFFIX - TAG));
  }

  /** Undefined where the folder is none of this project's. */
  ofFolder(folder: string): PlaceName | undefined {
    const [rest, suffix] = splitAtLast(folder, '-');
    const [task, attempt] = splitAtLast(rest, '-');
    return this.isOurs(task, attempt, suffix) ? join(task, attempt, suffix) : undefined;
  }

  /** Undefined where the branch is none of this project's. */
  ofBranch(branch: string): PlaceName | undefined {
    const [rest, last] = splitAtLast(branch, '/');
    const [attempt, suffix] = splitAtLast(last, '-');
    if (!rest.startsWith(PREFIX)) return undefined;
    const task = rest.slice(PREFIX.length);
    return this.isOurs(task, attempt, suffix) ? join(task, attempt, suffix) : undefined;
  }

  private isOurs(task: string, attempt: string, suffix: string): boolean {
    const isSuffix = suffix.length === SUFFIX && suffix.startsWith(this.tag);
    return isSuffix && /^\d+$/.test(attempt) && /^[A-Za-z0-9_-]+$/.test(task);
  }
}

function join(task: string, attempt: string, suffix: string): PlaceName {
  return { folder: `${task}-${attempt}-${suffix}`, branch: `${PREFIX}${task}/${attempt}-${suffix}` };
}

function splitAtLast(text: string, mark: string): [string, string] {
  const at = text.lastIndexOf(mark);
  return at === -1 ? ['', text] : [text.slice(0, at), text.slice(at + 1)];
}
