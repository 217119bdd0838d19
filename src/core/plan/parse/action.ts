import { type Block, type Fence, fenceText, type List, lazyFrom } from '../../markdown/blocks.js';
import { unwrapValue } from '../../markdown/inline.js';
import { contentText, type Lines, lineText, readFence } from '../../markdown/lines.js';
import { ACTIONS, hasEffect } from '../actions.js';
import {
  isCutOff,
  reportMasked,
  reportSecondBlock,
  reportStray,
  reportUnclosed,
  reportUnexpected,
} from '../departures.js';
import { labelOf, readEditLabel } from '../grammar.js';
import { type PlanIssueLog, planLine } from '../issues.js';
import {
  ACTION_FIELDS,
  knownLabel,
  type MetadataEntry,
  parseMetadata,
  readMetadataLabel,
  toMetadata,
} from '../metadata.js';
import type { Action, ActionType, EditPair, Metadata } from '../types.js';
import type { ActionOutline } from './outline.js';
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
    const { labels, body } = ACTIONS[this.type];
    const lists =
      body === 'message' ? leadingMetadata(lines, outline, labels) : outline.blocks.filter(isList);
    const read = parseMetadata(lines, lists, (label) => labelOf(label, labels, this.type), log);
    this.entries = read.entries;
    this.metadata = toMetadata(read.entries);
    this.bodyFrom = body === 'message' ? messageFrom(lines, lists, outline) : outline.heading.end;
    const taken = new Set<Block>(lists);
    const rest = outline.blocks.filter((block) => !taken.has(block));
    this.body = [...rest, ...read.fences, ...read.lazy].sort((a, b) => a.at - b.at);
    for (const line of read.others) reportStray(lines, line, log);
    if (body === 'message')
      for (const { at } of read.lazy) if (at !== this.bodyFrom) reportStray(lines, at, log);
  }

  reportHeading(): void {
    const { heading, name } = this.outline;
    if (!name.strict) {
      this.log.add('action-style', `Read "${heading.text}" as the action ${this.type}.`, {
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
      if (required !== undefined && !entry?.value) this.reportMissing(label, required, entry?.line ?? line);
      fields[key] = read(entry, { type, label, line, isNew: body === 'content', paths, log });
    }
    if (body !== 'none') fields[body] = this.readBody(body);
    else for (const fence of this.fences()) reportUnexpected(fence, `in a ${type}, which has none`, log);
    const ordered = Object.fromEntries(Object.keys(example).map((key) => [key, fields[key]]));
    const cutOff = body === 'content' && this.isCutOff() ? { cutOff: true } : {};
    return { type, line, metadata, ...ordered, ...cutOff } as Action;
  }

  private readBody(body: 'content' | 'command' | 'edits' | 'queries' | 'message'): string | unknown[] {
    switch (body) {
      case 'content':
        return this.content();
      case 'command':
        return this.command();
      case 'edits':
        return parsePairs(this.lines, this.outline, this.body, this.log);
      case 'queries':
        return this.queries();
      case 'message':
        return this.message();
    }
  }

  private reportMissing(label: string, example: string, line: number): void {
    this.log.add('metadata-missing', `${this.type} needs ${label === 'Agent' ? 'an' : 'a'} ${label}.`, {
      line,
      hint: `Under the heading: "- **${label}:** ${example}".`,
    });
  }

  private fences(): Fence[] {
    for (const block of this.body)
      if (block.type !== 'fence' && block.type !== 'rule') reportStray(this.lines, block.at, this.log);
    const fences = this.body.filter((block) => block.type === 'fence');
    const remedy = ACTIONS[this.type].body === 'content' ? CREATE_CUT_OFF : '';
    for (const fence of fences) reportUnclosed(fence, this.lines, this.log, remedy);
    return fences;
  }

  private command(): string {
    const entry = this.entries.find(({ name }) => name === 'Command');
    const hasBlock = this.body.some(({ type }) => type === 'fence');
    if (!entry || (entry.value === '' && !hasBlock)) return this.content();
    if (entry.value !== '' && hasBlock) {
      this.log.add('metadata-unknown', '"Command" has no effect: the block is the command.', {
        line: entry.line,
      });
    } else {
      this.log.add('metadata-style', 'Read "Command" as the command; the format puts it in a fenced block.', {
        line: entry.line,
      });
    }
    if (hasBlock) return this.content();
    this.fences();
    return `${unwrapValue(entry.value)}\n`;
  }

  /** The one block of a file or a command. */
  private content(): string {
    const isFile = ACTIONS[this.type].body === 'content';
    const [fence, ...others] = this.fences();
    if (fence && others.length > 0) reportSecondBlock(fence, others, this.log);
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
    return text;
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

/**
 * The metadata of INVOKE and CONCLUDE: the lists right under the heading, up to the first item without a
 * label. Any other list is part of the message.
 */
function leadingMetadata(lines: Lines, outline: ActionOutline, labels: readonly string[]): List[] {
  const lists: List[] = [];
  for (const block of outline.blocks) {
    if (block.type !== 'list') break;
    const found = block.items.map(
      (item) => readMetadataLabel(lines.text.slice(item.offset, lines.ends[item.at]))?.label,
    );
    const end = found.indexOf(undefined);
    const items = end === -1 ? block.items : block.items.slice(0, end);
    const known = found.slice(0, items.length).some((label) => knownLabel(label!, labels) !== undefined);
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

type Piece = { kind: 'FIND' | 'REPLACE'; line: number } | { kind: 'fence'; fence: Fence };

/** The FIND and REPLACE blocks of an EDIT, in the order in which they are applied. */
function parsePairs(
  lines: Lines,
  outline: ActionOutline,
  body: readonly Block[],
  log: PlanIssueLog,
): EditPair[] {
  const pieces = body.flatMap((block) => toPieces(lines, block, log));
  const pairs: EditPair[] = [];
  let find: { text: string | undefined; line: number } | undefined;
  for (let i = 0; i < pieces.length; i++) {
    const piece = pieces[i]!;
    if (piece.kind === 'fence') {
      reportUnexpected(
        piece.fence,
        'here: a block of an EDIT follows a "`FIND:`" or "`REPLACE:`" label',
        log,
      );
      continue;
    }
    const line = planLine(piece.line);
    const next = pieces[i + 1];
    const text = next?.kind === 'fence' ? halfText(lines, next.fence) : undefined;
    if (text === undefined) {
      log.add('block-missing', `Expected a fenced block after this ${piece.kind} label.`, { line });
    } else {
      i++;
      if (piece.kind === 'REPLACE' && next?.kind === 'fence') {
        reportMasked(text, planLine(next.fence.at + 1), log);
      }
    }
    if (piece.kind === 'FIND') {
      if (find) reportLoneFind(find.line, log);
      find = { text, line };
    } else if (!find) {
      log.add('replace-without-find', 'This REPLACE has no FIND before it.', {
        line,
        hint: 'Write the FIND first, then its REPLACE.',
      });
    } else {
      if (text !== undefined && find.text !== undefined)
        pairs.push(checkPair({ find: find.text, replace: text, line: find.line }, log));
      find = undefined;
    }
  }
  if (find) reportLoneFind(find.line, log);
  if (pieces.length === 0) {
    log.add('block-missing', 'EDIT needs at least one pair of FIND and REPLACE.', {
      line: planLine(outline.heading.at),
      hint: 'Write "`FIND:`" and a fenced block, then "`REPLACE:`" and a fenced block.',
    });
  }
  return pairs;
}

function toPieces(lines: Lines, block: Block, log: PlanIssueLog): Piece[] {
  if (block.type === 'fence') {
    reportUnclosed(block, lines, log);
    return [{ kind: 'fence', fence: block }];
  }
  const pieces: Piece[] = [];
  for (let line = block.at; line < block.end; line++) {
    const label = readEditLabel(lineText(lines, line));
    if (!label) {
      if (block.type !== 'rule' && lineText(lines, line).trim() !== '') reportStray(lines, line, log);
      continue;
    }
    if (!label.strict) {
      log.add('label-style', `Read "${lineText(lines, line).trim()}" as the label ${label.side}.`, {
        line: planLine(line),
        hint: `The format writes "\`${label.side}:\`".`,
      });
    }
    pieces.push({ kind: label.side, line });
  }
  return pieces;
}

/** The newline before the closing fence is part of neither half. */
function halfText(lines: Lines, fence: Fence): string {
  const text = fenceText(lines, fence);
  return text.endsWith('\n') ? text.slice(0, -1) : text;
}

function reportLoneFind(line: number, log: PlanIssueLog): void {
  log.add('find-without-replace', 'This FIND has no REPLACE after it.', {
    line,
    hint: 'After the block of the FIND write "`REPLACE:`" and its block; an empty block deletes the text.',
  });
}

function checkPair(pair: EditPair, log: PlanIssueLog): EditPair {
  if (pair.find === '') {
    log.add('find-empty', 'This FIND is empty.', {
      line: pair.line,
      hint: 'Copy the text to replace, exactly as it is in the file.',
    });
  } else if (pair.find === pair.replace) {
    log.add('find-equals-replace', 'FIND and REPLACE are the same: this edit would change nothing.', {
      line: pair.line,
    });
  }
  return pair;
}
