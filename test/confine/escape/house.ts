import { type ChildProcess, execFileSync, spawn, spawnSync } from 'node:child_process';
import { createHash, randomBytes } from 'node:crypto';
import {
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { agentEnvironment } from '../../../src/confine/agents.js';
import { checkConfinement } from '../../../src/confine/check.js';
import { confine } from '../../../src/confine/confine.js';
import { lendFolders } from '../../../src/confine/lend.js';
import type { Confinement, ConfinementTools } from '../../../src/confine/types.js';
import { createCopy } from '../../../src/workspace/copy/create-copy.js';
import type { ProjectCopy } from '../../../src/workspace/copy/types.js';
import { type Attempt, PRELUDE } from './attempt.js';

const PYTHON = ['/usr/bin/python3', '/usr/local/bin/python3'].find((path) => existsSync(path));
const checked = await checkConfinement({ root: process.cwd(), environment: process.env });

/** For the title of what is skipped. */
export const because = checked.available
  ? PYTHON === undefined
    ? ' (skipped: there is no python3)'
    : ''
  : ` (skipped: ${checked.cause})`;
const tools: ConfinementTools = checked.available ? checked.tools : { bubblewrap: '', nothing: '' };

export const isRoot = process.getuid?.() === 0;
const NOBODY = 65534;
const LOOKS = 50;
const SYSTEM_FILES = [
  '/etc/passwd',
  '/etc/hosts',
  '/proc/sys/kernel/core_pattern',
  '/proc/sys/kernel/hostname',
];

/** Keys and credentials in the home folder: each holds the canary. */
export const SECRETS_IN_HOME = [
  ...['.ssh/id_ed25519', '.gnupg/private-keys-v1.d/key', '.aws/credentials', '.azure/token', '.kube/config'],
  ...['.docker/config.json', '.config/gcloud/credentials.db', '.config/gh/hosts.yml', '.git-credentials'],
  ...['.netrc', '.npmrc', '.pypirc', '.cargo/credentials.toml', '.m2/settings.xml', '.bash_history'],
  ...[
    '.config/google-chrome/Default/Cookies',
    '.mozilla/firefox/a.default/logins.json',
    '.password-store/mail.gpg',
  ],
  ...[
    '.local/share/keyrings/login.keyring',
    '.zshrc',
    '.profile',
    '.config/fish/config.fish',
    '.config/fish/fish_variables',
    '.config/mise/config.toml',
    '.cargo/config.toml',
    '.codex/auth.json',
    '.gemini/oauth_creds.json',
    '.config/teddy/config.yaml',
  ],
  ...['.local/state/teddy/key', '.cache/teddy/code', 'Documents/diary.txt'],
];

/** Variables that hold the canary. */
const SECRET_VARIABLES = [
  'AWS_SECRET_ACCESS_KEY',
  'GITHUB_TOKEN',
  'NPM_TOKEN',
  'OPENAI_API_KEY',
  'DATABASE_URL',
];

/** Everything that must not be reached, in a folder of its own, and a project with its copy in the midst of it. */
export class House {
  readonly canary = `canary-${randomBytes(8).toString('hex')}`;
  readonly root: string;
  readonly home: string;
  copy: ProjectCopy | undefined;
  #neighbour: ChildProcess | undefined;
  #before = '';
  #variables: Record<string, string> = {};

  private constructor(
    readonly folder: string,
    /** Whether attempts are made by a user without rights, where the test itself is run by root. */
    readonly isUnprivileged: boolean,
  ) {
    this.root = join(folder, 'project');
    this.home = join(folder, 'home');
  }

  static async build(folder: string, { isUnprivileged = false, hasCopy = true } = {}): Promise<House> {
    const house = new House(folder, isUnprivileged && isRoot);
    house.#furnish();
    if (hasCopy) await house.#makeCopy();
    if (house.isUnprivileged) execFileSync('chown', ['-R', `${NOBODY}:${NOBODY}`, folder]);
    await house.#moveIn();
    house.#before = house.#look();
    return house;
  }

  #furnish(): void {
    const write = (path: string, text: string) => {
      mkdirSync(dirname(join(this.folder, path)), { recursive: true });
      writeFileSync(join(this.folder, path), text);
    };
    for (const path of SECRETS_IN_HOME) write(`home/${path}`, `token=${this.canary}\n`);
    write('home/.cargo/outside/file', 'plain\n');
    write('home/.cargo/outside/program', '#!/bin/sh\n');
    write('home/.bashrc', '# plain\n');
    write('home/.gitconfig', '[user]\n\tname = Ada\n\temail = ada@example.org\n');
    write('home/.local/bin/tool', '#!/bin/sh\n');
    write('home/.claude/settings.json', '{}\n');
    write('home/.claude/history', '');
    write('home/.claude/local/claude', '#!/bin/sh\n');
    write('elsewhere/secret', this.canary);
    write('elsewhere/file', 'plain\n');
    write('run/empty', '');
    write('project/a.txt', 'a\n');
    write('project/package.json', '{"name": "a"}\n');
    write('project/.gitignore', '.env\n.npmrc\nnode_modules/\nkeys/\nbuild/\n');
    this.#git('init', '-q', '-b', 'main');
    this.#git('add', '-A');
    this.#git('commit', '-q', '-m', 'first');
    write('project/.env', `KEY=${this.canary}\n`);
    write('project/.npmrc', `//registry.example/:_authToken=${this.canary}\n`);
    write('project/keys/server.pem', this.canary);
    write('project/build/.env.local', this.canary);
    write('project/node_modules/dep/index.js', 'module.exports = 1\n');
  }

  #git(...words: string[]): void {
    const env = { PATH: process.env.PATH, HOME: this.home };
    execFileSync('git', words, { cwd: this.root, env });
  }

  async #makeCopy(): Promise<void> {
    const folder = join(this.folder, 'changes');
    mkdirSync(folder);
    const made = await createCopy(this.root, folder);
    if (made.status !== 'ok') throw new Error(made.reason);
    this.copy = made.copy;
  }

  async #moveIn(): Promise<void> {
    const script = fileURLToPath(new URL('neighbour.py', import.meta.url));
    const [file, ...words] = this.#asUser([PYTHON!, '-', this.folder, this.canary, this.#plainName()]);
    const neighbour = spawn(file!, words, {
      env: { SECRET: this.canary },
      stdio: ['pipe', 'pipe', 'inherit'],
    });
    neighbour.stdin.end(readFileSync(script));
    this.#neighbour = neighbour;
    const [line] = await new Promise<string[]>((resolve) => {
      createInterface(neighbour.stdout).once('line', (text) => resolve([text]));
    });
    const said = JSON.parse(line!) as { port: number; udp: number; port6: number; segment: number };
    this.#variables = {
      HOUSE: this.folder,
      ROOT: this.root,
      OUTSIDE: join(this.home, '.cargo/outside'),
      NEIGHBOUR: String(neighbour.pid),
      PLAIN: this.#plainName(),
      ...{
        PORT: String(said.port),
        UDP: String(said.udp),
        PORT6: String(said.port6),
        SEGMENT: String(said.segment),
      },
    };
  }

  /** Of files in folders that everybody shares. */
  #plainName(): string {
    return `escape-${this.canary.slice(-16)}`;
  }

  /** Makes the attempt, and says what came of it. */
  make(
    attempt: Attempt,
    { isConfined = true, network = false, change = (args: string[]) => args } = {},
  ): Attempted {
    this.#emptyOverlays();
    const isPython = attempt.script.startsWith('#python');
    const words = isPython
      ? [PYTHON!, '-c', `${PRELUDE}${attempt.script}`]
      : ['/bin/sh', '-c', `exec 2>&1\n${attempt.script}`];
    return this.judge(this.#run(words, { isConfined, network, change }));
  }

  /** Every attempt finds lent folders as the project has them, whatever the ones before wrote there. */
  #emptyOverlays(): void {
    for (const { overlay } of this.#overlaid ?? []) {
      if (overlay === undefined) continue;
      rmSync(join(overlay, 'upper'), { recursive: true });
      mkdirSync(join(overlay, 'upper'));
    }
  }

  #run(words: string[], { isConfined, network, change }: Way): string {
    const service = join(this.home, '.cargo/service.sock');
    const secret = Object.fromEntries(SECRET_VARIABLES.map((name) => [name, this.canary]));
    const everything = {
      PATH: '/usr/bin:/bin:/usr/sbin:/sbin',
      HOME: this.home,
      LANG: 'C',
      ...secret,
      SSH_AUTH_SOCK: service,
      DBUS_SESSION_BUS_ADDRESS: `unix:path=${service}`,
    };
    const env = isConfined ? agentEnvironment(everything, 'claude') : { ...everything, ...this.#variables };
    const started = isConfined ? this.#confined(words, env, { network, change }) : words;
    const starter = fileURLToPath(new URL('starter.py', import.meta.url));
    const [file, ...rest] = this.#asUser([
      PYTHON!,
      '-c',
      readFileSync(starter, 'utf8'),
      this.canary,
      ...started,
    ]);
    const cwd = isConfined ? '/' : this.root;
    const { stdout, stderr } = spawnSync(file!, rest, {
      env,
      cwd,
      encoding: 'utf8',
      maxBuffer: 2 ** 28,
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    return stdout + stderr;
  }

  #confined(
    words: string[],
    env: Record<string, string>,
    { network, change }: Omit<Way, 'isConfined'>,
  ): string[] {
    const [program, ...args] = words;
    const confinement: Confinement = {
      root: this.root,
      copy: this.copy!.copy,
      lent: this.#lent,
      agent: 'claude',
      network,
      home: 'private',
      terminal: false,
    };
    const command = { program: program!, args, cwd: this.root, env, set: this.#variables };
    const confined = confine(command, confinement, this.#tools());
    const own = this.isUnprivileged ? withoutHomeOfRoot(confined.args) : confined.args;
    return [confined.program, ...change(own)];
  }

  /** On overlays, but for a user that this process is not. */
  get #lent() {
    return this.#overlaid ?? this.copy!.lent;
  }
  #overlaid: Confinement['lent'];

  /** Lends folders, and starts once: missing settings of the agent are made by that. */
  async settle(): Promise<void> {
    if (!this.isUnprivileged) this.#overlaid = (await lendFolders(this.copy!, tools, process.env)).lent;
    this.#run(['/bin/true'], { isConfined: true, network: false, change: (args) => args });
    this.#before = this.#look();
  }

  #tools(): ConfinementTools {
    if (!this.isUnprivileged) return tools;
    const [filter, nothing] = ['filter', 'nothing'].map((name) => join(this.folder, name)) as [
      string,
      string,
    ];
    if (!existsSync(nothing)) {
      writeFileSync(nothing, '', { mode: 0o644 });
      if (tools.filter !== undefined) writeFileSync(filter, readFileSync(tools.filter), { mode: 0o644 });
      this.#before = this.#look();
    }
    return { bubblewrap: tools.bubblewrap, nothing, ...(tools.filter !== undefined && { filter }) };
  }

  #asUser(words: string[]): string[] {
    if (!this.isUnprivileged) return words;
    return ['setpriv', `--reuid=${NOBODY}`, `--regid=${NOBODY}`, '--clear-groups', '--', ...words];
  }

  judge(text: string): Attempted {
    const [earlier, now] = [this.#before, this.#look()];
    const before = new Set(earlier.split('\n'));
    // Each attempt counts once.
    this.#before = now;
    return {
      text,
      isRead: text.includes(this.canary),
      changed: now
        .split('\n')
        .filter((line) => !before.has(line))
        .concat(missingFrom(now, earlier)),
      left: this.#waitForLeft(),
    };
  }

  /** One line for each file outside the copy, and for what else could be reached. */
  #look(): string {
    const lines = listFiles(this.folder, '').filter((line) => !WRITABLE.test(line));
    for (const path of SYSTEM_FILES) lines.push(`${path} ${hashOf(path)}`);
    for (const folder of ['/tmp', '/var/tmp', '/dev/shm', '/run', '/etc', '/etc/cron.d'])
      if (existsSync(join(folder, this.#plainName()))) lines.push(join(folder, this.#plainName()));
    lines.push(`neighbour ${this.#neighbourState()}`);
    return lines.join('\n');
  }

  #neighbourState(): string {
    try {
      const { pid } = this.#neighbour!;
      const state = readFileSync(`/proc/${pid}/stat`, 'latin1').replace(/^.*\) (.).*$/s, '$1');
      const niceness = readFileSync(`/proc/${pid}/stat`, 'latin1')
        .replace(/^.*\) /s, '')
        .split(' ')[16];
      const limit = /^Max open files.*$/m.exec(readFileSync(`/proc/${pid}/limits`, 'latin1'))?.[0];
      // A signal may not have reached it yet.
      const pending = /^ShdPnd.*$/m.exec(readFileSync(`/proc/${pid}/status`, 'latin1'))?.[0];
      return `${'RSD'.includes(state) ? 'runs' : state} ${niceness} ${limit} ${pending}`;
    } catch {
      return 'gone';
    }
  }

  /** Processes that have the copy mounted, or were started by an attempt without confinement. */
  #listLeft(): string[] {
    const marks = [`${this.folder}/changes`, join(this.folder, 'project')];
    const numbers = readdirSync('/proc').filter(
      (name) => /^\d+$/.test(name) && Number(name) !== this.#neighbour?.pid,
    );
    return numbers.filter((pid) => {
      const text = readQuietly(`/proc/${pid}/mountinfo`) + readQuietly(`/proc/${pid}/environ`);
      return pid !== String(process.pid) && marks.some((mark) => text.includes(mark));
    });
  }

  /** bubblewrap's end comes just before that of the namespace in which the kernel ends them all. */
  #waitForLeft(): string[] {
    let left = this.#listLeft();
    for (let look = 0; look < LOOKS && left.length > 0; look++) {
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 20);
      left = this.#listLeft();
    }
    return left;
  }

  /** Also ends what an attempt without confinement has left. */
  tearDown(): void {
    for (const pid of this.#listLeft()) spawnSync('kill', ['-9', pid]);
    this.#neighbour?.kill('SIGKILL');
    for (const folder of ['/tmp', '/var/tmp', '/dev/shm'])
      rmSync(join(folder, this.#plainName()), { force: true });
    rmSync(this.folder, { recursive: true, force: true });
  }
}

/** How an attempt is made: `change` weakens the confinement. */
interface Way {
  isConfined: boolean;
  network: boolean;
  change: (args: string[]) => string[];
}

export interface Attempted {
  text: string;
  /** Whether a secret was printed. */
  isRead: boolean;
  /** What is different outside. */
  changed: string[];
  /** Processes that are still there. */
  left: string[];
}

/** The copy, what is written to lent folders, and the state of the agent but for its settings. */
const WRITABLE = /^(?:changes(?:\/copy|\/lent)? |home\/\.claude(?:\/history)? )/;

/** What this process can show of its home, another user cannot. */
function withoutHomeOfRoot(args: readonly string[]): string[] {
  const isShown = (at: number) => args[at] === '--ro-bind' && args[at + 1]!.startsWith(`${homedir()}/`);
  return args.filter((_, at) => ![at, at - 1, at - 2].some(isShown));
}

function missingFrom(now: string, before: string): string[] {
  const present = new Set(now.split('\n'));
  return before.split('\n').filter((line) => !present.has(line));
}

function listFiles(root: string, at: string): string[] {
  return readdirSync(join(root, at)).flatMap((name) => {
    const path = at === '' ? name : `${at}/${name}`;
    const stats = lstatSync(join(root, path));
    const rest = stats.isSymbolicLink()
      ? readlinkSync(join(root, path))
      : stats.isFile()
        ? hashOf(join(root, path))
        : '';
    const line = `${path} ${stats.mode.toString(8)} ${stats.uid} ${stats.mtimeMs} ${rest}`;
    return stats.isDirectory() && !/^changes\/(?:copy|lent)$/.test(path)
      ? [line, ...listFiles(root, path)]
      : [line];
  });
}

function hashOf(path: string): string {
  return createHash('sha256').update(readFileSync(path)).digest('hex').slice(0, 16);
}

function readQuietly(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '';
  }
}
