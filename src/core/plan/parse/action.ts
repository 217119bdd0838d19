import { type Block, type Fence, fenceText, type List, lazyFrom } from '../../markdown/blocks.js';
import { unwrapValue } from '../../markdown/inline.js';
import { contentText, type Lines, readFence } from '../../markdown/lines.js';
import {
  isCutOff,
  reportMasked,
  reportSecondBlock,
  reportStray,
  reportUnclosed,
  reportUnexpected,
} from '../departures.js';
import { ACTIONS, knownLabel, labelOf, readMetadataLabel } from '../grammar.js';
import { type PlanIssueLog, planLine } from '../issue-log.js';
import type { Action, ActionType, LineRange, Metadata, Resource } from '../types.js';
import { type MetadataEntry, parseMetadata, toMetadata } from './metadata.js';
import type { ActionOutline } from './outline.js';
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
  if (action.type === 'CREATE') paths.noteCreated(action.path);
  if (action.type === 'EXECUTE') paths.noteExecuted();
  return action;
}

class ActionReader {
  private readonly type: ActionType;
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
    const { labels, slot } = ACTIONS[this.type];
    const lists =
      slot === 'message' ? leadingMetadata(lines, outline, labels) : outline.blocks.filter(isList);
    const read = parseMetadata(lines, lists, (label) => labelOf(label, labels, this.type), log);
    this.entries = read.entries;
    this.metadata = toMetadata(read.entries);
    this.bodyFrom = slot === 'message' ? messageFrom(lines, lists, outline) : outline.heading.end;
    const taken = new Set<Block>(lists);
    const rest = outline.blocks.filter((block) => !taken.has(block));
    this.body = [...rest, ...read.fences, ...read.lazy].sort((a, b) => a.at - b.at);
    for (const line of read.others) reportStray(line, log);
    if (slot === 'message') for (const { at } of read.lazy) if (at !== this.bodyFrom) reportStray(at, log);
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
    const common = { line: this.line, metadata: this.metadata };
    switch (this.type) {
      case 'CREATE':
        return {
          type: 'CREATE',
          ...common,
          path: this.path(),
          description: this.description(),
          content: this.content('create-empty'),
          overwrite: this.flag('Overwrite'),
          ...(this.isCutOff() ? { cutOff: true } : {}),
        };
      case 'READ':
        this.noBlocks();
        return {
          type: 'READ',
          ...common,
          resource: this.resource(),
          description: this.description(),
          lines: this.lineRange(),
        };
      case 'EDIT':
        return {
          type: 'EDIT',
          ...common,
          path: this.path(),
          description: this.description(),
          edits: parsePairs(this.lines, this.outline, this.body, this.log),
        };
      case 'EXECUTE':
        return {
          type: 'EXECUTE',
          ...common,
          description: this.description(),
          expectedOutcome: this.expectedOutcome(),
          cwd: this.folder(),
          env: this.environment(),
          command: this.command(),
          timeout: this.timeout(),
          allowFailure: this.flag('Allow Failure'),
        };
      case 'RESEARCH':
        return { type: 'RESEARCH', ...common, description: this.description(), queries: this.queries() };
      case 'CHAT_WITH_USER':
        return { type: 'CHAT_WITH_USER', ...common, message: this.message(true) };
      case 'INVOKE':
        return {
          type: 'INVOKE',
          ...common,
          agent: this.required('Agent')?.value ?? '',
          handoffResources: this.handoff(),
          message: this.message(false),
        };
      case 'CONCLUDE':
        return {
          type: 'CONCLUDE',
          ...common,
          handoffResources: this.handoff(),
          message: this.message(false),
        };
      case 'PRUNE':
        this.noBlocks();
        return { type: 'PRUNE', ...common, resource: this.resource(), description: this.description() };
    }
  }

  private entry(name: string): MetadataEntry | undefined {
    return this.entries.find((entry) => entry.name === name);
  }

  private required(name: string): MetadataEntry | undefined {
    const entry = this.entry(name);
    if (entry && entry.value !== '') return entry;
    this.log.add('metadata-missing', `${this.type} needs ${name === 'Agent' ? 'an' : 'a'} ${name}.`, {
      line: entry?.line ?? this.line,
      hint: `Under the heading: "- **${name}:** ${EXAMPLES[name] ?? '…'}".`,
    });
    return undefined;
  }

  private path(): string {
    const entry = this.required('File Path');
    if (!entry) return '';
    const source = { label: 'File Path', line: entry.line };
    return this.paths.writable(entry.value, source, this.type === 'CREATE') ?? '';
  }

  private resource(): Resource {
    const entry = this.required('Resource');
    const resource = entry && this.paths.resource(entry.value, { label: 'Resource', line: entry.line });
    return resource ?? { kind: 'file', target: '' };
  }

  private description(): string | null {
    const value = this.entry('Description')?.value;
    if (value) return value;
    this.log.add('description-missing', `${this.type} has no Description.`, {
      line: this.line,
      hint: 'Say in one line why the action is proposed: "- **Description:** …".',
    });
    return null;
  }

  private expectedOutcome(): string | null {
    const value = this.entry('Expected Outcome')?.value;
    if (value) return value;
    this.log.add('outcome-missing', 'EXECUTE has no Expected Outcome.', {
      line: this.line,
      hint: 'Say what the output will show: "- **Expected Outcome:** …".',
    });
    return null;
  }

  private folder(): string | null {
    const entry = this.entry('cwd');
    if (!entry || entry.value === '') return null;
    return this.paths.plain(entry.value, { label: 'cwd', line: entry.line }) ?? null;
  }

  private environment(): Record<string, string> {
    const entry = this.entry('env');
    if (!entry) return {};
    const variables = new Map<string, string>();
    for (const text of entry.value === '' ? entry.items : [entry.value, ...entry.items]) {
      const variable = readVariable(text);
      if (!variable) {
        this.invalid(entry, `"${text}" is not a variable`, 'Write each as "- `NAME`: "value"".');
      } else if (variables.has(variable.name)) {
        this.log.add('metadata-repeated', `env: ${variable.name} stands twice; the first one stands.`, {
          line: entry.line,
        });
      } else {
        variables.set(variable.name, variable.value);
      }
    }
    return Object.fromEntries(variables);
  }

  private timeout(): number | null {
    const entry = this.entry('Timeout');
    if (!entry || entry.value === '') return null;
    const match = /^(\d{1,9})\s?(s|m|h)?$/.exec(unwrapValue(entry.value));
    const seconds = match
      ? Number(match[1]) * { s: 1, m: 60, h: 3600 }[(match[2] ?? 's') as 's' | 'm' | 'h']
      : 0;
    if (seconds > 0) return seconds;
    this.invalid(entry, `"${entry.value}" is not a time`, 'Write seconds or minutes: 90, 90s or 5m.');
    return null;
  }

  private lineRange(): LineRange | null {
    const entry = this.entry('Lines');
    if (!entry || entry.value === '') return null;
    const match = /^(\d{1,9})(?:\s?[-–]\s?(\d{1,9}))?$/.exec(unwrapValue(entry.value));
    const from = Number(match?.[1] ?? 0);
    const to = Number(match?.[2] ?? from);
    if (from >= 1 && to >= from) return { from, to };
    this.invalid(
      entry,
      `"${entry.value}" is not a range of lines`,
      'Write first and last line, counted from 1: 10-40.',
    );
    return null;
  }

  private flag(name: string): boolean {
    const entry = this.entry(name);
    if (!entry || entry.value === '') return false;
    const value = unwrapValue(entry.value).toLowerCase();
    if (value === 'true' || value === 'yes') return true;
    if (value !== 'false' && value !== 'no')
      this.invalid(entry, `"${entry.value}" is neither true nor false`, 'Write true or false.');
    return false;
  }

  private handoff(): Resource[] {
    const entry = this.entry('Handoff Resources');
    if (!entry) return [];
    const values = entry.value === '' ? entry.items : [entry.value, ...entry.items];
    return values.flatMap(
      (value) => this.paths.resource(value, { label: 'Handoff Resources', line: entry.line }) ?? [],
    );
  }

  private invalid(entry: MetadataEntry, problem: string, hint: string): void {
    this.log.add('metadata-invalid', `${entry.name}: ${problem}.`, { line: entry.line, hint });
  }

  private fences(): Fence[] {
    for (const block of this.body)
      if (block.type !== 'fence' && block.type !== 'rule') reportStray(block.at, this.log);
    const fences = this.body.filter((block) => block.type === 'fence');
    const remedy = this.type === 'CREATE' ? CREATE_CUT_OFF : '';
    for (const fence of fences) reportUnclosed(fence, this.lines, this.log, remedy);
    return fences;
  }

  private noBlocks(): void {
    for (const fence of this.fences()) reportUnexpected(fence, `in a ${this.type}, which has none`, this.log);
  }

  private command(): string {
    const entry = this.entry('Command');
    if (!entry) return this.content('block-empty');
    const hasBlock = this.fences().length > 0;
    if (entry.value === '' && !hasBlock) return this.content('block-empty');
    if (entry.value !== '' && hasBlock) {
      this.log.add('metadata-unknown', '"Command" has no effect: the block is the command.', {
        line: entry.line,
      });
    } else {
      this.log.add('metadata-style', 'Read "Command" as the command; the format puts it in a fenced block.', {
        line: entry.line,
      });
    }
    return hasBlock ? this.content('block-empty') : `${unwrapValue(entry.value)}\n`;
  }

  private content(whenEmpty: 'create-empty' | 'block-empty'): string {
    const [fence, ...others] = this.fences();
    if (fence && others.length > 0) reportSecondBlock(fence, others, this.log);
    if (!fence) {
      this.log.add('block-missing', `${this.type} needs one fenced block.`, {
        line: this.line,
        hint:
          this.type === 'CREATE'
            ? 'Put the whole content of the file between two fences.'
            : 'Put the command between two fences.',
      });
      return '';
    }
    const text = fenceText(this.lines, fence);
    if (text.trim() === '' && (whenEmpty === 'block-empty' || text === '')) {
      const effect = whenEmpty === 'create-empty' ? 'it makes an empty file' : 'there is nothing to run';
      this.log.add(whenEmpty, `The block of this ${this.type} is empty: ${effect}.`, {
        line: planLine(fence.at),
      });
    }
    this.reportSuspect(fence, text);
    if (this.type === 'CREATE') reportMasked(text, planLine(fence.at + 1), this.log);
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
      'The block holds a fence here that is as long as its own and never closes; its content may be cut short.',
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

  private message(required: boolean): string {
    const text = trimBlankLines(contentText(this.lines, this.bodyFrom, this.outline.end));
    for (const block of this.body) if (block.type === 'fence') reportUnclosed(block, this.lines, this.log);
    if (text === '' && required) {
      this.log.add('message-missing', `${this.type} has no message.`, {
        line: this.line,
        hint: 'Write the message under the heading, in plain Markdown.',
      });
    }
    return text;
  }
}

const CREATE_CUT_OFF = ' In a review at the terminal you can accept the file as far as it came.';

const EXAMPLES: Record<string, string> = {
  'File Path': '[src/app.ts](/src/app.ts)',
  Resource: '[docs/README.md](/docs/README.md)',
  Agent: 'Architect',
};

/** Blank lines at either end, and white space at the end of the last line, are no part of a message. */
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

/** A message begins after the metadata, also where no blank line divides them. */
function messageFrom(lines: Lines, lists: readonly List[], { heading }: ActionOutline): number {
  const last = lists.at(-1)?.items.at(-1);
  return last ? lazyFrom(lines, last) : heading.end;
}

const NAME = /^[A-Za-z_][A-Za-z0-9_]{0,199}$/;

/** `` `NAME`: "value" ``, `**NAME:** value` or `NAME=value`. */
function readVariable(text: string): { name: string; value: string } | undefined {
  const plain = unwrapWhole(text);
  const seam = plain.search(/[:=]/);
  if (seam === -1) return undefined;
  const name = plain.slice(0, seam).replace(/[`*\s]/g, '');
  const value = unwrapValue(
    plain
      .slice(seam + 1)
      .replace(/^[`*]{0,3}\s+|^\*\*|^`(?=\s|$)/, '')
      .trim(),
  );
  return NAME.test(name) ? { name, value } : undefined;
}

/** `` `NAME=value` ``: one code span around the whole. */
function unwrapWhole(text: string): string {
  return text.startsWith('`') && text.endsWith('`') && text.indexOf('`', 1) === text.length - 1
    ? text.slice(1, -1)
    : text;
}
