import { FIELDS } from '../../../../core/state/fields.js';
import { readState, type StateFields } from '../../../../core/state/state.js';
import { describeState, type StateDescription, writeState } from '../../../../tasks/state.js';
import { TeddyCommand } from '../../command.js';
import { type GlobalOptions, issueJson, type Paint, printResult, visibleLine } from '../../output.js';
import { type CellStyle, cell, tableLines } from '../../table.js';
import { plural, quoteWord } from '../../words.js';
import { openToRead, openToWrite } from '../tasks/open.js';

interface Options extends GlobalOptions {
  state?: string;
  write?: boolean;
}

/** One field of STATE.md: the actual and the expected value. Null means missing. */
interface Field {
  name: string;
  is: string | null;
  shouldBe: string | null;
}

export const stateCommand = new TeddyCommand('state')
  .description('compare STATE.md with the recorded results, or update it')
  .option('--state <file>', 'the file (default: from the config, the root, .planning or .ultraplan)')
  .option('--write', 'update it; text that people wrote stays')
  .run(state)
  .helpText(`Examples:
  teddy state
  teddy state --json
  teddy state --write
  teddy state --state docs/STATE.md`);

async function state(options: Options): Promise<number> {
  const project = options.write
    ? await openToWrite(options, options.state)
    : await openToRead(options, options.state);
  const described = describeState(project);
  const { changed } = options.write ? await writeState(project) : { changed: false };
  const fields = compare(described);
  printResult(project.workspace.root, options, toJson(described, fields, changed), (paint) =>
    toWords(described, fields, options.write ? { changed } : undefined, options.state, paint),
  );
  return 0;
}

function toJson(
  { path, exists, text, updated, fields, issues }: StateDescription,
  all: Field[],
  written: boolean,
) {
  return {
    path,
    exists,
    upToDate: text === updated,
    written,
    fields,
    differences: all.filter(differs).map(({ name, is, shouldBe }) => ({ field: name, is, shouldBe })),
    issues: issues.map(issueJson),
  };
}

function toWords(
  described: StateDescription,
  fields: readonly Field[],
  written: { changed: boolean } | undefined,
  named: string | undefined,
  paint: Paint,
): string[] {
  const rows = fields.flatMap((field) => {
    const row = (sign: string, value: string, style?: CellStyle) => [
      cell(sign, style),
      cell(field.name, style),
      cell(value, style),
    ];
    if (!differs(field)) return field.is === null ? [] : [row(' ', field.is)];
    return [
      ...(field.is === null ? [] : [row('-', field.is, 'red')]),
      ...(field.shouldBe === null ? [] : [row('+', field.shouldBe, 'green')]),
    ];
  });
  return [
    `${paint('bold', visibleLine(described.path))} ${describeOutcome(described, fields, written, named)}`,
    ...tableLines(rows, { flexible: 2, paint }),
  ];
}

function describeOutcome(
  { exists, text, updated }: StateDescription,
  fields: readonly Field[],
  written: { changed: boolean } | undefined,
  named: string | undefined,
): string {
  const count = fields.filter(differs).length;
  const different = plural(count, 'field');
  if (written) {
    if (!written.changed) return 'is up to date; nothing was written';
    return exists ? `was updated: ${different} changed` : 'was created';
  }
  const command = `teddy state${named === undefined ? '' : ` --state ${quoteWord(named)}`} --write`;
  if (!exists) return `does not exist yet; ${command} creates it`;
  if (text === updated) return 'is up to date';
  return `differs in ${different}; ${command} updates it`;
}

function compare({ text, updated }: StateDescription): Field[] {
  const is = asTexts(readState(text));
  const shouldBe = asTexts(readState(updated));
  const names = [...new Set([...shouldBe.keys(), ...is.keys()])];
  return names.map((name) => ({ name, is: is.get(name) ?? null, shouldBe: shouldBe.get(name) ?? null }));
}

/** All fields by their names in the file, in the same order. */
function asTexts(fields: StateFields): Map<string, string | null> {
  const texts = new Map<string, string | null>();
  for (const name of Object.keys(fields) as (keyof StateFields)[]) {
    if (name === 'byPhase')
      for (const { phase, plans, total, average } of fields.byPhase)
        texts.set(
          `Phase ${phase}`,
          [`${plans} plans`, isKnown(total) && `${total} in all`, isKnown(average) && `${average} each`]
            .filter((part) => part !== false)
            .join(', '),
        );
    else if (name === 'blockers')
      texts.set('Blockers', fields.blockers.length === 0 ? null : fields.blockers.join(' / '));
    else texts.set(name === 'lastPlans' ? 'Last plans' : FIELDS[name].label, fields[name]);
  }
  return texts;
}

function isKnown(value: string): boolean {
  return value !== '' && value !== '-';
}

function differs({ is, shouldBe }: Field): boolean {
  return is !== shouldBe;
}
