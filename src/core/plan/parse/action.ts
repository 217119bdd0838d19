import {
  type Block,
  type Fence,
  fenceText,
  type List,
  type ListItem,
  lazyFrom,
} from '../../markdown/blocks.js';
import { unwrapValue } from '../../markdown/inline.js';
import { contentText, firstInk, type Lines, lineText, readFence } from '../../markdown/lines.js';
import { listWords, shorten } from '../../text.js';
import { ACTIONS, hasEffect } from '../actions.js';
import { findElision } from '../edit/elision.js';
import { labelOf, readEditLabel } from '../grammar.js';
import {
  isCutOff,
  type PlanIssueLog,
  planLine,
  reportMasked,
  reportSecondBlock,
  reportStray,
  reportUnclosed,
  reportUnexpected,
} from '../issues.js';
import {
  ACTION_FIELDS,
  isOtherLabel,
  listValues,
  type MetadataEntry,
  parseMetadata,
  readMetadataLabel,
  toMetadata,
} from '../metadata.js';
import type { Action, ActionType, Metadata } from '../types.js';
import { reportText } from '../unknown-action.js';
import { type ActionOutline, headingLine, reportUnknownAction } from './outline.js';
import { parsePairs } from './pairs.js';
import type { PathReader } from './path-reader.js';

/**
 * Reads one action. An action that lacks something still comes back, with that field empty and an
 * error in the log: a refused plan is reported action by action.
 */
export function parseAction(
  lines: Lines,
  outline: ActionOutline,
  number: number,
  paths: PathReader,
  log: PlanIssueLog,
): Action {
  log.action = number;
  const reader = new ActionReader(lines, outline, paths, log);
  reader.reportHeading();
  const action = reader.read();
  if ('content' in action) paths.noteCreated(action.path);
  if (hasEffect(action, 'runs')) paths.noteExecuted();
  return action;
}

class ActionReader {
  readonly type: ActionType;
  private readonly line: number;
  private readonly entries: MetadataEntry[];
  private readonly metadata: Metadata;
  /** The action's blocks without its metadata. */
  private readonly body: Block[];
  /** The line after the metadata of a message. */
  private readonly bodyFrom: number;

  constructor(
    private readonly lines: Lines,
    private readonly outline: ActionOutline,
    private readonly paths: PathReader,
    private readonly log: PlanIssueLog,
  ) {
    this.type = outline.name.type;
    this.line = planLine(outline.heading.at);
    const { body } = ACTIONS[this.type];
    const blocks = body === 'message' ? outline.blocks : listBareMetadata(lines, outline);
    const lists = body === 'message' ? leadingMetadata(lines, outline) : blocks.filter(isList);
    const read = parseMetadata(lines, lists, (label) => labelOf(label, this.type), log);
    this.entries = read.entries;
    this.metadata = toMetadata(read.entries);
    this.bodyFrom = body === 'message' ? messageFrom(lines, lists, outline) : outline.heading.end;
    const taken = new Set<Block>(lists);
    const rest = blocks.filter((block) => !taken.has(block));
    const isLabel = (line: number) => body === 'edits' && readEditLabel(lineText(lines, line)) !== undefined;
    const labels = read.others.filter(isLabel).map((at): Block => ({ type: 'text', at, end: at + 1 }));
    this.body = [...rest, ...read.fences, ...read.lazy, ...labels].sort((a, b) => a.at - b.at);
    for (const line of read.others) if (!isLabel(line)) reportText(lines, line, log);
    if (body === 'message')
      for (const { at } of read.lazy) if (at !== this.bodyFrom) reportStray(lines, at, log);
  }

  reportHeading(): void {
    const { heading, name } = this.outline;
    if (name.unknown) {
      reportUnknownAction(heading, this.log);
    } else if (!name.strict || heading.level !== 3) {
      this.log.add('action-style', `Read "${headingLine(heading)}" as the action ${this.type}.`, {
        line: this.line,
        hint: `The format writes "### \`${this.type}\`".`,
      });
    }
    if (!heading.spaced) {
      this.log.add('heading-spacing', 'The heading has no space after its "###".', { line: this.line });
    }
  }

  read(): Action {
    const { type, line, metadata, paths, log } = this;
    const { labels, body, example } = ACTIONS[type];
    const fields: Record<string, unknown> = {};
    for (const label of labels) {
      const entry = this.entries.find(({ name }) => name === label);
      const { key, required, read } = ACTION_FIELDS[label];
      if (required !== undefined && listValues(entry).length === 0)
        this.reportMissing(label, required, entry?.line ?? line);
      if (required !== undefined && entry && isOtherLabel(entry)) this.reportRivals(entry);
      fields[key] = read(entry, { type, label, line, isNew: body === 'content', paths, log });
    }
    if (body !== 'none') fields[body] = this.readBody(body, String(fields.path ?? ''));
    else for (const fence of this.fences()) reportUnexpected(fence, `in a ${type}, which has none`, log);
    const action: Record<string, unknown> = { type, line, metadata };
    for (const key of Object.keys(example)) action[key] = fields[key];
    if (body === 'content' && this.isCutOff()) action.cutOff = true;
    return action as unknown as Action;
  }

  private readBody(
    body: 'content' | 'command' | 'edits' | 'queries' | 'message',
    path: string,
  ): string | unknown[] {
    switch (body) {
      case 'content':
        return this.content(path);
      case 'command':
        return this.command();
      case 'edits':
        return parsePairs(this.lines, this.outline, this.body, path, this.log);
      case 'queries':
        return this.queries();
      case 'message':
        return this.message();
    }
  }

  private reportMissing(label: string, example: string, line: number): void {
    const unknown = this.entries.filter(({ name }) => name === undefined);
    const instead = listWords(unknown, { say: (entry) => `"${entry.label}"` });
    const needed = `${this.type} needs ${label === 'Agent' ? 'an' : 'a'} ${label}`;
    this.log.add('metadata-missing', unknown.length === 0 ? `${needed}.` : `${needed}; it has ${instead}.`, {
      line,
      hint: `Under the heading: "- **${label}:** ${example}".`,
    });
  }

  /** Two labels that are not the format's, for one value: which one is meant cannot be known. */
  private reportRivals(entry: MetadataEntry): void {
    const rival = this.entries.find(({ name, value }) => name === entry.name && value !== entry.value);
    if (!rival) return;
    const message = `${entry.name}: "${entry.label}" says "${entry.value}" and "${rival.label}" says "${rival.value}".`;
    this.log.add('metadata-invalid', message, {
      line: rival.line,
      hint: `Write one "- **${entry.name}:** …".`,
    });
  }

  private fences(): Fence[] {
    for (const block of this.body)
      if (block.type !== 'fence' && block.type !== 'rule') reportText(this.lines, block.at, this.log);
    const fences = this.body.filter((block) => block.type === 'fence');
    const remedy = ACTIONS[this.type].body === 'content' ? CREATE_CUT_OFF : '';
    for (const fence of fences) reportUnclosed(fence, this.lines, this.log, remedy);
    return fences;
  }

  private command(): string {
    const [command] = this.labelledBody('Command', 'the command');
    return command === undefined ? this.content() : `${command}\n`;
  }

  /** What is written behind a label instead of in a block; nothing if there is a block. */
  private labelledBody(name: 'Command' | 'Query', what: string): string[] {
    const entry = this.entries.find((each) => each.name === name);
    const hasBlock = this.body.some(({ type }) => type === 'fence');
    const values = listValues(entry);
    if (!entry || (values.length === 0 && !hasBlock)) return [];
    const { label, line } = entry;
    if (values.length > 0 && hasBlock) {
      this.log.add('metadata-unknown', `"${label}" has no effect: the block is ${what}.`, { line });
      return [];
    }
    const message = `Read "${label}" as ${what}; the format puts it in a fenced block.`;
    this.log.add('metadata-style', message, { line });
    if (hasBlock) return [];
    this.fences();
    return values.map(unwrapValue);
  }

  /** The one block of a file or a command. */
  private content(path = ''): string {
    const isFile = ACTIONS[this.type].body === 'content';
    const [fence, ...others] = this.fences();
    if (fence && others.length > 0 && !this.hasUnheadedAfter(fence))
      reportSecondBlock(fence, others, this.log);
    if (!fence) {
      this.log.add('block-missing', `${this.type} needs one fenced block.`, {
        line: this.line,
        hint: isFile
          ? 'Put the whole content of the file between two fences.'
          : 'Put the command between two fences.',
      });
      return '';
    }
    const text = fenceText(this.lines, fence);
    if (isFile ? text === '' : text.trim() === '') {
      const effect = isFile ? 'it creates an empty file' : 'there is nothing to run';
      this.log.add(
        isFile ? 'create-empty' : 'block-empty',
        `The block of this ${this.type} is empty: ${effect}.`,
        { line: planLine(fence.at) },
      );
    }
    this.reportSuspect(fence, text);
    if (isFile) reportMasked(text, planLine(fence.at + 1), this.log);
    if (isFile) this.reportFaintElision(text, path, fence);
    if (isFile) this.reportOtherForm(text, path, fence);
    else this.reportPrompt(text, fence);
    return text;
  }

  /** An action without a heading comes with a block of its own. */
  private hasUnheadedAfter({ at }: Fence): boolean {
    return this.log.issues.some(
      ({ code, action, line = 0 }) =>
        code === 'action-unknown' && action === this.log.action && line > planLine(at),
    );
  }

  /** Where a line says clearly that others are left out, the checks refuse it; they know the file. */
  private reportFaintElision(content: string, path: string, fence: Fence): void {
    const elision = findElision(content, path, () => false);
    if (!elision || elision.isCertain) return;
    this.log.add('elision-suspect', `"${elision.text}" may stand for lines that were left out.`, {
      line: planLine(fence.at + 1 + elision.line),
      hint: 'Write the whole file.',
    });
  }

  /** A text that was escaped for JSON, or copied from a diff. */
  private reportOtherForm(content: string, path: string, { at }: Fence): void {
    const lines = content.replace(/\n$/, '').split('\n');
    const isEscaped = lines.length === 1 && (content.match(/\\n/g)?.length ?? 0) > 2;
    const isAdded = lines.length > 1 && lines.every((line) => line.startsWith('+'));
    if (!isEscaped && (!isAdded || /\.(?:diff|patch)$/i.test(path))) return;
    const what = isEscaped
      ? 'The content is one line with "\\n" instead of line breaks.'
      : 'Every line of the content starts with "+", as in a diff.';
    this.log.add('content-suspect', what, {
      line: planLine(at + 1),
      hint: 'It would be written as it is. Write the file as it should become.',
    });
  }

  /** `$ npm test`: no shell has a command of that name. */
  private reportPrompt(command: string, { at }: Fence): void {
    const lines = command.split('\n');
    const prompt = lines.findIndex((line) => /^\$ \S/.test(line));
    if (prompt === -1 || lines.slice(0, prompt).some((line) => line.includes('<<'))) return;
    const message = `"${shorten(lines[prompt]!, 60)}" starts with the prompt of a shell.`;
    this.log.add('command-prompt', message, {
      line: planLine(at + 1 + prompt),
      hint: 'Write only the command, without "$ " and without its output.',
    });
  }

  private isCutOff(): boolean {
    return this.body.some((block) => block.type === 'fence' && isCutOff(block, this.lines));
  }

  /** A file cut short by a fence of its own reads as a block that opens a fence and never closes it. */
  private reportSuspect(fence: Fence, content: string): void {
    if (!content.includes(fence.mark.char.repeat(fence.mark.length))) return;
    let open: { line: number; length: number } | undefined;
    for (let line = fence.at + 1; line < fence.end - 1; line++) {
      const mark = readFence(this.lines, line);
      if (!mark || mark.char !== fence.mark.char) continue;
      if (!open) open = { line, length: mark.length };
      else if (mark.info === '' && mark.length >= open.length) open = undefined;
    }
    if (!open || open.length < fence.mark.length) return;
    this.log.add(
      'fence-suspect',
      'The block contains a fence here that is as long as its own and never closes; its content may end too early.',
      {
        line: planLine(open.line),
        hint: 'Give the block a fence longer than any inside it.',
      },
    );
  }

  private queries(): string[] {
    const labelled = this.labelledBody('Query', 'the query');
    if (labelled.length > 0) return labelled;
    const fences = this.fences();
    if (fences.length === 0) {
      this.log.add('block-missing', 'RESEARCH needs a query in a fenced block.', {
        line: this.line,
        hint: 'Put each query in a fenced block of its own.',
      });
    }
    return fences.flatMap((fence) => {
      const query = fenceText(this.lines, fence).trim();
      if (query === '') this.log.add('block-empty', 'This query is empty.', { line: planLine(fence.at) });
      return query === '' ? [] : [query];
    });
  }

  private message(): string {
    const text = trimBlankLines(contentText(this.lines, this.bodyFrom, this.outline.end));
    for (const block of this.body) if (block.type === 'fence') reportUnclosed(block, this.lines, this.log);
    if (text === '' && hasEffect(this, 'asks')) {
      this.log.add('message-missing', `${this.type} has no message.`, {
        line: this.line,
        hint: 'Write the message under the heading, in plain Markdown.',
      });
    }
    return text;
  }
}

const CREATE_CUT_OFF = ' In a review at the terminal you can accept the part of the file that arrived.';

/** Blank lines at either end, and white space at the end of the last line, are not part of a message. */
function trimBlankLines(text: string): string {
  let start = 0;
  for (
    let lf = text.indexOf('\n');
    lf !== -1 && text.slice(start, lf).trim() === '';
    lf = text.indexOf('\n', start)
  ) {
    start = lf + 1;
  }
  return text.slice(start).trimEnd();
}

function isList(block: Block): block is List {
  return block.type === 'list';
}

/** Metadata right under the heading that is written without bullets, as the list that it should be. */
function listBareMetadata(lines: Lines, { blocks, name }: ActionOutline): Block[] {
  const [first, ...rest] = blocks;
  if (first?.type !== 'text') return blocks;
  const items: ListItem[] = [];
  for (let line = first.at; line < first.end; line++) {
    const offset = firstInk(lines, line);
    const label = readMetadataLabel(lines.text.slice(offset, lines.ends[line]))?.label;
    const last = items.at(-1);
    if (label !== undefined && labelOf(label, name.type) !== undefined) {
      items.push({ at: line, end: line + 1, offset, column: 0 });
    } else if (last) last.end = line + 1;
    else return blocks;
  }
  return [{ type: 'list', at: first.at, end: first.end, items }, ...rest];
}

/**
 * The metadata of INVOKE and CONCLUDE: the lists right under the heading, up to the first item without a
 * label. Any other list is part of the message.
 */
function leadingMetadata(lines: Lines, outline: ActionOutline): List[] {
  const lists: List[] = [];
  for (const block of outline.blocks) {
    if (block.type !== 'list') break;
    const found = block.items.map(
      (item) => readMetadataLabel(lines.text.slice(item.offset, lines.ends[item.at]))?.label,
    );
    const end = found.indexOf(undefined);
    const items = end === -1 ? block.items : block.items.slice(0, end);
    const known = found
      .slice(0, items.length)
      .some((label) => labelOf(label!, outline.name.type) !== undefined);
    if (items.length === 0 || (!known && lists.length === 0)) break;
    lists.push({ ...block, items, end: items.at(-1)!.end });
    if (end !== -1) break;
  }
  return lists;
}

/** A message starts after the metadata, even without a blank line between them. */
function messageFrom(lines: Lines, lists: readonly List[], { heading }: ActionOutline): number {
  const last = lists.at(-1)?.items.at(-1);
  return last ? lazyFrom(lines, last) : heading.end;
}
