import { withoutCrlf } from '../../../core/changeset/diff-rows.js';
import { subjectOf } from '../../../core/plan/actions.js';
import { findLookalikes } from '../../../core/plan/lookalikes.js';
import type { Action } from '../../../core/plan/types.js';
import { isTerminal, terminalWidth } from '../../../node/terminal/terminal.js';
import {
  type ActionQuestion,
  describeRecipient,
  type Preview,
  type Question,
  type StateQuestion,
} from '../../../review/question.js';
import { RISKS } from '../../../review/risks.js';
import { chooseLook, type Look, type Style } from '../output.js';
import {
  BLANK,
  foreign,
  foreignLine,
  type Line,
  labelled,
  leads,
  prose,
  rowsOf,
  ruleLine,
  splitText,
} from '../terminal/line.js';
import { plural } from '../words.js';
import { contentLines, diffLines, measureDiff } from './diff-lines.js';
import { fileQuestionLines } from './file-lines.js';
import { markdownLines } from './markdown-lines.js';

/** Everything the user needs to decide, most important first, because a small screen cuts the end. */
export function questionLines(question: Question, look: Look, width: number): Line[] {
  if (question.kind === 'file') return fileQuestionLines(question, look, width);
  return question.kind === 'state' ? stateLines(question, look, width) : actionLines(question, look, width);
}

function stateLines({ section, changes }: StateQuestion, look: Look, width: number): Line[] {
  return [
    ruleLine(section, look, width),
    prose([{ text: describeStateChange(section, changes), style: 'dim' }]),
    BLANK,
    ...splitText(changes).map((line): Line => {
      const style = line.startsWith('[-]') ? 'removed' : 'added';
      return { ...leads(look, '', ''), spans: foreign(line, look, { style }), wrap: 'words' };
    }),
  ];
}

/** "Adds 2 files to the agent's context, removes 1" */
export function describeStateChange(section: StateQuestion['section'], changes: string): string {
  const lines = splitText(changes);
  const removed = lines.filter((line) => line.startsWith('[-]')).length;
  const added = lines.length - removed;
  const [noun, place] = section === 'Memos' ? ['memo', 'memory'] : ['file', 'context'];
  if (added === 0) return `Removes ${plural(removed, noun)} from the agent's ${place}`;
  const adds = `Adds ${plural(added, noun)} to the agent's ${place}`;
  return removed === 0 ? adds : `${adds}, removes ${removed}`;
}

function actionLines(question: ActionQuestion, look: Look, width: number): Line[] {
  const { number, total, action, preview, modified } = question;
  const body = [...bodyLines(action, preview, look, width), ...endLines(action, look, width)];
  return [
    ruleLine(`${number} of ${total}  ${action.type}${modified ? '  (as you edited it)' : ''}`, look, width),
    ...subjectLines(action, preview, look),
    ...flagLines(question, look),
    ...factLines(action, preview, look, width),
    ...(body.length === 0 ? [] : [BLANK, ...body]),
  ];
}

/** The subject of the action on one line. */
function subjectLines(action: Action, preview: Preview, look: Look): Line[] {
  const subject = subjectOf(action);
  if (!subject) return [];
  const remark = preview.kind === 'write' ? describeWrite(preview) : subject.remark;
  const dim = remark === '' ? [] : [{ text: `  ${remark}`, style: 'dim' as const }];
  return [prose([...foreignLine(subject.text, look, 'strong'), ...dim], 2, 4)];
}

function describeWrite({ path, before, after }: Extract<Preview, { kind: 'write' }>): string {
  const endings = withoutCrlf(after) === undefined ? '' : ', CRLF line endings';
  if (before === null) return `new file, ${plural(splitText(after).length, 'line')}${endings}`;
  if (before === after) return 'nothing would change';
  const { added, removed } = measureDiff({ path, before, after });
  return `+${added} -${removed}, ${plural(splitText(after).length, 'line')} afterwards${endings}`;
}

function flagLines({ action, preview, risks }: ActionQuestion, look: Look): Line[] {
  const { glyphs } = look;
  const reasons = preview.kind === 'will-fail' ? preview.reasons : [];
  return [
    ...reasons.flatMap((reason) => failureLines(reason, look)),
    ...risks.map(({ kind, message }) =>
      flagLine(glyphs.flag, ['', message], RISKS[kind].isGrave ? 'danger' : 'flag', look),
    ),
    ...findLookalikes(action).map((sentence) => flagLine(glyphs.flag, ['', sentence], 'danger', look)),
  ];
}

/** Why it will fail: a sentence, and below it a hint. */
function failureLines(reason: string, look: Look): Line[] {
  const [first = '', ...more] = splitText(reason);
  return [
    flagLine(look.glyphs.bad, ['will fail: ', first], 'danger', look),
    ...more.map((line): Line => {
      // Text quoted from a file keeps its columns.
      const wrap = line.startsWith(' ') ? 'cells' : 'words';
      return { ...leads(look, '', ''), spans: foreign(line, look), wrap };
    }),
  ];
}

function flagLine(sign: string, [ours, text]: readonly [string, string], style: Style, look: Look): Line {
  return prose([{ text: `${sign} ${ours}`, style }, ...foreignLine(text, look, style)], 2, 4);
}

function factLines(action: Action, preview: Preview, look: Look, width: number): Line[] {
  const facts: [label: string, values: readonly string[]][] = [];
  if ('description' in action && action.description !== null)
    facts.push(['why', splitText(action.description)]);
  if (preview.kind === 'write' && preview.matched !== null) facts.push(['found', [preview.matched]]);
  if ('command' in action) {
    if (action.cwd !== null) facts.push(['in', [action.cwd]]);
    const env = Object.entries(action.env).map(([name, value]) => `${name}=${value}`);
    if (env.length > 0) facts.push(['env', env]);
    if (action.allowFailure) facts.push(['failure', ['does not stop the run']]);
    if (action.expectedOutcome !== null) facts.push(['expects', splitText(action.expectedOutcome)]);
  }
  if (preview.kind === 'hands-back') facts.push(['to', [describeRecipient(preview)]]);
  if ('handoffResources' in action && action.handoffResources.length > 0)
    facts.push(['with', action.handoffResources.map(({ target }) => target)]);
  return labelled(facts, look, width);
}

function bodyLines(action: Action, preview: Preview, look: Look, width: number): Line[] {
  if (preview.kind === 'write') {
    if (preview.before === null) return contentLines(preview.after, preview.path, look, width);
    const { path, before, after } = preview;
    if (before !== after) return diffLines({ path, before, after }, look, width);
  }
  if ('content' in action) return contentLines(action.content, action.path, look, width);
  if ('edits' in action) return pairLines(action.edits, look);
  if ('command' in action) return commandLines(action.command, look, width);
  if ('queries' in action) return action.queries.flatMap((query, at) => queryLines(query, at + 1, look));
  return 'message' in action ? markdownLines(action.message, look) : [];
}

function queryLines(query: string, number: number, look: Look): Line[] {
  return splitText(query).map((line, row) => ({
    ...leads(look, row === 0 ? String(number).padStart(2) : '  ', ''),
    spans: foreign(line, look),
    wrap: 'words',
  }));
}

/** Marks the end of a file that was cut off. */
function endLines(action: Action, look: Look, width: number): Line[] {
  return action.type === 'CREATE' && action.cutOff
    ? [ruleLine('the answer was cut off here', look, width)]
    : [];
}

/** The exact command, numbered, so that a wrapped line does not look like two. */
function commandLines(command: string, look: Look, width: number): Line[] {
  const lines = splitText(command);
  const digits = width < 30 || lines.length === 1 ? 0 : String(lines.length).length;
  return lines.map((line, at) => ({
    ...leads(look, digits === 0 ? '' : String(at + 1).padStart(digits), ''),
    spans: foreign(line, look, { style: 'strong', spaces: true }),
    wrap: 'cells',
  }));
}

/** An EDIT that cannot be simulated: its FIND and REPLACE texts. */
function pairLines(edits: readonly { find: string; replace: string }[], look: Look): Line[] {
  const side = (text: string, sign: '+' | '-', style: Style) =>
    text === ''
      ? []
      : text.split('\n').map(
          (line): Line => ({
            ...leads(look, '', sign, style),
            spans: foreign(line, look, { style, spaces: true }),
            wrap: 'cells',
          }),
        );
  return edits.flatMap(({ find, replace }, at) => [
    ...(at === 0 ? [] : [BLANK]),
    ...side(find, '-', 'removed'),
    ...side(replace, '+', 'added'),
  ]);
}

/** The question as text for standard output. */
export function printQuestion(question: Question, options: { color: boolean }): string {
  const terminal = isTerminal('stdout');
  const look = chooseLook({ color: options.color && terminal });
  const width = terminal ? terminalWidth() : PLAIN_WIDTH;
  return `${rowsOf(questionLines(question, look, width), width, look).join('\n')}\n`;
}

/** The width for files and pipes. */
const PLAIN_WIDTH = 120;
