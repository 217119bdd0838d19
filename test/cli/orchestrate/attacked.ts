import { execFileSync } from 'node:child_process';
import { type Ended, endOf, until } from '../sessions/site.js';
import { readEvents, type Site } from './site.js';

/** Waits until a file is there beside the project, and not for ever. For executors and verifications. */
export const AWAIT = `await() { n=0; until [ -e "$SITE/$1" ] || [ $n -gt 400 ]; do sleep 0.05; n=$((n+1)); done; }`;

/**
 * A verification by the name of what was made, that says beside the project when it begins, waits there for `go`, and
 * holds once that file is there.
 */
export const GATE = {
  'gate.sh': `${AWAIT}
echo "$1" >> "$SITE/verified"
touch "$SITE/verifying-$1"
await go
test -s "$1"
`,
};

const KILL_TEDDY = `kill -KILL "$(sed -n 's/.*"pid": *\\([0-9]*\\).*/\\1/p' "$ROOT/.ultraplan/state/holder.json")"`;

/** Whoever fast-forwards the project is killed with its orchestrator, once: before git has done it, or right after. */
export function killAtLanding(site: Site, when: 'before' | 'after'): void {
  const git = execFileSync('/bin/sh', ['-c', 'command -v git'], { encoding: 'utf8' }).trim();
  site.program(
    'git',
    `case " $* " in *" --ff-only "*) [ -e "$SITE/killed" ] || {
  touch "$SITE/killed"
  ${when === 'after' ? `'${git}' "$@"` : ':'}
  ${KILL_TEDDY}
  kill -KILL $$
};; esac
exec '${git}' "$@"`,
  );
}

type Told = ReturnType<typeof readEvents>;

export interface Watched {
  child: ReturnType<Site['start']>;
  ended: Promise<Ended>;
  /** What it told so far. */
  of: Told['of'];
  /** Waits until it has told so much of a kind. */
  hear(type: Parameters<Told['of']>[0], count?: number): Promise<void>;
  /** All of it, once it has ended. */
  told(): Promise<{ exit: number | null } & Told>;
}

/** Starts `teddy orchestrate`, and listens. */
export function watch(site: Site, ...words: string[]): Watched {
  const child = site.start(['orchestrate', '--yes', '--json', ...words]);
  let text = '';
  child.stdout!.on('data', (chunk) => {
    text += chunk;
  });
  const ended = endOf(child);
  const of: Watched['of'] = (type) => readEvents(text.slice(0, text.lastIndexOf('\n') + 1)).of(type);
  return {
    child,
    ended,
    of,
    async hear(type, count = 1) {
      const isOver = () => child.exitCode !== null || child.signalCode !== null;
      await until(() => of(type).length >= count || isOver(), `it tells of ${type}`);
      if (of(type).length < count) throw new Error(`It ended without ${type}: ${text}`);
    },
    async told() {
      const { exit, stdout } = await ended;
      return { exit, ...readEvents(stdout) };
    },
  };
}
