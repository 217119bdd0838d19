import { attempt, type Machine, nothing, recovering } from './machine.js';
import { applied, hash, type Scenario, type Snapshot, sidesOf, snapshotOf } from './scenario.js';

/** The tree without the names that a commit uses for itself, where it has to put them next to the user's files. */
export function withoutOwnNames(tree: Snapshot): Snapshot {
  const own = /(?:^|\/)[0-9a-z]{8}-[0-9a-z]{8}-\d+(?:-old(?:-part)?)?$/;
  return Object.fromEntries(Object.entries(tree).filter(([path]) => !own.test(path)));
}

/** 'before', 'after', or the first lines in which the tree differs from both. */
export function sideOf(scenario: Scenario, tree: Snapshot): string {
  const expected = sidesOf(scenario);
  for (const [side, lines] of Object.entries(expected)) if (isDeepEqual(lines, tree)) return side;
  return `a mixture: not before in ${differences(expected.before, tree)}; not after in ${differences(expected.after, tree)}`;
}

export function isWhole(side: string): side is 'before' | 'after' {
  return side === 'before' || side === 'after';
}

function isDeepEqual(one: Snapshot, other: Snapshot): boolean {
  const paths = Object.keys(one);
  return paths.length === Object.keys(other).length && paths.every((path) => one[path] === other[path]);
}

export function differences(expected: Snapshot, found: Snapshot): string {
  const paths = [...new Set([...Object.keys(expected), ...Object.keys(found)])].filter(
    (path) => expected[path] !== found[path],
  );
  const shown = paths.slice(0, 3).map((path) => `${path} (${found[path] ?? 'absent'})`);
  return shown.join(', ') + (paths.length > 3 ? ` and ${paths.length - 3} more` : '');
}

/**
 * Recovers and says what is wrong then; undefined when the tree is whole, nothing is left of the commit,
 * and recovering again changes nothing.
 */
export async function wrongAfterRecovery(
  scenario: Scenario,
  machine: Machine,
  allowed: readonly ('before' | 'after')[] = ['before', 'after'],
): Promise<string | undefined> {
  const recovery = await attempt(machine, nothing, recovering);
  if (recovery.how !== 'returned') return `recovery ${recovery.how}`;
  if (recovery.value.status !== 'recovered') return `recovery: ${JSON.stringify(recovery.value)}`;
  const side = sideOf(scenario, machine.snapshot());
  if (!isWhole(side) || !allowed.includes(side)) return `tree is ${side}, not ${allowed.join(' or ')}`;
  const left = leftIn(machine);
  if (left.length > 0) return `left in tx: ${left.join(', ')}`;
  if (machine.openHandles > 0) return `${machine.openHandles} files stay open after recovery`;
  const journal = wrongInJournal(scenario, machine, side);
  if (journal) return journal;
  const settled = machine.everything();
  const again = await attempt(machine, nothing, recovering);
  if (again.how !== 'returned' || again.value.status !== 'recovered')
    return 'recovery, once more, did not return';
  if (again.value.completed.length + again.value.reverted.length > 0)
    return 'recovery, once more, found something to do';
  if (!isDeepEqual(settled, machine.everything())) return 'recovery, once more, changed something';
  return undefined;
}

/** The journal has a record exactly when the commit is done, and the old contents with it. */
function wrongInJournal(scenario: Scenario, machine: Machine, side: 'before' | 'after'): string | undefined {
  if (scenario.run === undefined) return undefined;
  const folder = `runs/${scenario.run}/journal`;
  const records = machine.list(folder).filter((name) => name.endsWith('.json'));
  if (records.length !== (side === 'after' ? 1 : 0))
    return `${records.length} records, but the tree is ${side}`;
  for (const name of records) {
    const record = readRecord(machine, `.teddy/${folder}/${name}`);
    if (!record) return `${name} is torn`;
    if (record.changes.length !== scenario.changes.length) return 'the record lacks a change';
    for (const { path, before: old, image } of record.changes) {
      const was = scenario.entries[path];
      const known = was?.kind === 'file' ? hash(was.bytes) : undefined;
      const link = was?.kind === 'link' && `link:${hash(Buffer.from(was.target))}` === old?.hash;
      if (old?.hash !== known && !link) return `the record is wrong on ${path}`;
      const copy = image === null ? undefined : machine.read(`.teddy/${folder}/${image}`);
      if (known !== undefined && (copy === undefined || hash(copy) !== known)) return `no copy of ${path}`;
    }
  }
  return undefined;
}

interface Record {
  changes: { path: string; before: { hash: string } | null; image: string | null }[];
}

/** The record in a file of the journal; the seal stands before it. */
function readRecord(machine: Machine, path: string): Record | undefined {
  const text = String(machine.read(path));
  try {
    return JSON.parse(text.split('\n')[1] ?? '') as Record;
  } catch {
    return undefined;
  }
}

const LATER = { path: 'later.txt', before: null, after: Buffer.from('later\n') };

/** What is wrong with a commit made afterwards; undefined when it does all that it should. */
export async function wrongInLaterCommit(
  scenario: Scenario,
  machine: Machine,
  side: 'before' | 'after',
): Promise<string | undefined> {
  const later = await attempt(machine, nothing, (workspace) => workspace.commit([LATER]));
  if (later.how !== 'returned') return `a later commit ${later.how}`;
  if (later.value.status !== 'committed') return `a later commit: ${JSON.stringify(later.value)}`;
  const entries = side === 'before' ? scenario.entries : applied(scenario.entries, scenario.changes);
  const expected = snapshotOf(applied(entries, [LATER]));
  const found = machine.snapshot();
  if (!isDeepEqual(expected, found)) return `after a later commit: ${differences(expected, found)}`;
  const ignored = String(machine.read('.teddy/.gitignore'));
  if (!ignored.includes('/runs/\n') || !ignored.includes('/tx/\n'))
    return `after a later commit .gitignore holds ${JSON.stringify(ignored)}`;
  for (const folder of ['tx', 'runs']) {
    const hidden = String(machine.read(`.teddy/${folder}/.gitignore`));
    const holds = folder === 'tx' || machine.list(folder).some((name) => !name.startsWith('.gitignore'));
    if (holds && hidden !== '*\n')
      return `after a later commit ${folder}/.gitignore holds ${JSON.stringify(hidden)}`;
  }
  const left = leftIn(machine);
  return left.length > 0 ? `a later commit left in tx: ${left.join(', ')}` : undefined;
}

/** What keeps git out stays there. */
function leftIn(machine: Machine): string[] {
  return machine.list('tx').filter((name) => !name.startsWith('.gitignore'));
}
