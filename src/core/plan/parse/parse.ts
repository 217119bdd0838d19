import { type Block, type Fence, fenceText, type List } from '../../markdown/blocks.js';
import { contentText, type Lines, splitLines } from '../../markdown/lines.js';
import type { Tree } from '../../tree.js';
import { hasEffect } from '../actions.js';
import { HEADER_LABELS, RATIONALE_SECTIONS, SECTIONS, type SectionName } from '../grammar.js';
import {
  PlanIssueLog,
  planLine,
  reportSecondBlock,
  reportStray,
  reportUnclosed,
  reportUnexpected,
  unreadablePlan,
} from '../issues.js';
import { knownLabel, parseMetadata, toMetadata } from '../metadata.js';
import { findOtherFormat } from '../other-formats.js';
import { parseContextChanges, parseMemoChanges } from '../state-changes.js';
import type { Metadata, ParseResult, Plan } from '../types.js';
import { reportText } from '../unknown-action.js';
import { parseAction } from './action.js';
import { outlinePlan, type PlanParts, type SectionOutline } from './outline.js';
import { PathReader } from './path-reader.js';

/**
 * Reads a plan, its fences as they are. Never throws: whatever the text, it returns the plan as far as
 * it can be read and every way in which it departs from the format. With a tree, paths mean what they mean in that
 * project and on its machine.
 */
export function parsePlan(text: string, tree?: Tree): ParseResult {
  const log = new PlanIssueLog();
  const paths = new PathReader(log, tree);
  const lines = splitLines(text);
  const outline = outlinePlan(lines, log);
  if (!outline.title && outline.actions.length === 0 && outline.sections.size === 0) {
    return { plan: null, issues: [unreadablePlan(text)] };
  }
  reportEncoding(lines, log);
  const title = parseTitle(outline, log);
  const actions = parseActions(lines, outline, paths, log);
  // After the actions: what they create counts as existing in the context.
  const readContext = (block: string, first: number) => parseContextChanges(block, first, paths, log);
  const plan: Plan = {
    title,
    metadata: parseHeader(lines, outline, log),
    rationale: parseRationale(lines, outline, log),
    activeContext: parseBlockOf(lines, outline, 'Active Context', readContext, log),
    memos: parseBlockOf(lines, outline, 'Memos', parseMemoChanges, log),
    actions,
  };
  return { plan, issues: log.issues.sort((a, b) => (a.line ?? 0) - (b.line ?? 0)) };
}

function reportEncoding(lines: Lines, log: PlanIssueLog): void {
  if (lines.bom) log.add('bom', 'Ignored the byte order mark at the start of the text.', { line: 1 });
  if (lines.crlf) log.add('crlf', 'The lines end in CRLF; contents are read with LF.', { line: 1 });
}

function parseTitle({ title, sections, actions }: PlanParts, log: PlanIssueLog): string {
  const parts = [...sections.values(), ...actions].map((part) => part.heading.at);
  if (!title || title.text === '') {
    const line = title ? title.at : parts.reduce((least, at) => Math.min(least, at));
    log.add('title-missing', 'Expected a "# Title" before anything else.', {
      line: planLine(line),
      hint: 'Start the plan with one level-1 heading that says what it does.',
    });
    return '';
  }
  if (!title.spaced) {
    log.add('heading-spacing', 'The title has no space after its "#".', { line: planLine(title.at) });
  }
  return title.text;
}

function parseHeader(lines: Lines, outline: PlanParts, log: PlanIssueLog): Metadata {
  const lists = outline.header.filter((block): block is List => block.type === 'list');
  const known = outline.title ? HEADER_LABELS : [];
  const silent = new PlanIssueLog();
  const { entries, others, lazy } = parseMetadata(
    lines,
    lists,
    (label) => knownLabel(label, HEADER_LABELS),
    silent,
  );
  // Labels beyond the three are the agent's own in the header: kept, and nothing to warn about.
  for (const issue of silent.issues) if (issue.code !== 'metadata-unknown') log.issues.push(issue);
  const missing = known.filter(
    (label) => !entries.some((entry) => entry.name === label && entry.value !== ''),
  );
  if (missing.length > 0) {
    log.add('header-incomplete', `The header has no ${missing.join(', ')}.`, {
      line: planLine(outline.title!.at),
      hint: `Under the title: ${missing.map((label) => `"- **${label}:** …"`).join(', ')}.`,
    });
  }
  for (const line of others) reportStray(lines, line, log);
  for (const { at } of lazy) reportStray(lines, at, log);
  for (const block of outline.header) {
    if (block.type === 'fence') reportUnexpected(block, 'between the title and "## Rationale"', log);
    else if (block.type === 'text') reportStray(lines, block.at, log);
  }
  return toMetadata(entries);
}

function parseRationale(lines: Lines, outline: PlanParts, log: PlanIssueLog): string {
  const section = requireSection(outline, 'Rationale', log);
  const body = section && readBlock(lines, section, 'Rationale', log);
  if (!body) return '';
  const { text, first } = body;
  if (text.trim() === '') {
    log.add('block-empty', 'The Rationale block is empty.', { line: planLine(first - 1) });
    return text;
  }
  const missing = missingRationaleSections(text);
  if (missing.length > 0) {
    log.add('rationale-incomplete', `Missing or out of order in the Rationale: ${missing.join(', ')}.`, {
      line: planLine(first - 1),
      hint: `Expected, in this order: ${RATIONALE_SECTIONS.map((name, i) => `"### ${i + 1}. ${name}"`).join(', ')}.`,
    });
  }
  return text;
}

/** The sections that are missing or out of order. */
function missingRationaleSections(text: string): string[] {
  const found = new Map<string, number>();
  for (const [i, line] of text.split('\n').entries()) {
    if (line.length > 80) continue;
    const name = line
      .replace(/^[#\s]*(?:\d+[.)]?)?[\s*]*/, '')
      .replace(/[*:\s]*$/, '')
      .toLowerCase();
    if (!found.has(name)) found.set(name, i);
  }
  let last = -1;
  return RATIONALE_SECTIONS.filter((name) => {
    const at = found.get(name.toLowerCase());
    if (at === undefined || at < last) return true;
    last = at;
    return false;
  });
}

function parseBlockOf<T>(
  lines: Lines,
  outline: PlanParts,
  name: SectionName,
  parse: (block: string, first: number, log: PlanIssueLog) => T[],
  log: PlanIssueLog,
): T[] {
  const section = outline.sections.get(name);
  const body = section && readBlock(lines, section, name, log);
  if (!body) return [];
  // Without a fence the changes are often items of a list.
  const text = body.isFenced ? body.text : body.text.replace(/^[ \t]*[-*+] (?=\[[+-]\])/gm, '');
  return parse(text, body.first, log);
}

function parseActions(
  lines: Lines,
  outline: PlanParts,
  paths: PathReader,
  log: PlanIssueLog,
): Plan['actions'] {
  const section = requireSection(outline, 'Action Plan', log);
  reportOrder(outline, log);
  for (const block of section?.blocks ?? []) {
    if (block.type !== 'fence' && block.type !== 'rule') reportText(lines, block.at, log);
  }
  const isNamed = log.issues.some(({ code }) => code === 'action-unknown');
  if (section && !isNamed) reportNoActions(lines, section, outline.actions.length, log);
  const actions = outline.actions.map((action, i) => parseAction(lines, action, i + 1, paths, log));
  reportAfterEnd(outline, log);
  log.action = undefined;
  return actions;
}

function reportAfterEnd({ actions }: PlanParts, log: PlanIssueLog): void {
  const end = actions.findIndex(({ name }) => hasEffect(name, 'hands-over'));
  if (end === -1) return;
  for (const [i, action] of actions.slice(end + 1).entries()) {
    log.action = end + i + 2;
    log.add(
      'action-after-end',
      `${action.name.type} follows ${actions[end]!.name.type}, which ends the turn.`,
      {
        line: planLine(action.heading.at),
        hint: `Put it before the ${actions[end]!.name.type}, or leave it to the next plan.`,
      },
    );
  }
}
/** Text in the place of actions, or before the first. */
function reportNoActions(lines: Lines, section: SectionOutline, actions: number, log: PlanIssueLog): void {
  const fences = section.blocks.filter((block) => block.type === 'fence');
  if (actions > 0 && fences.length === 0) return;
  const other = findOtherFormat(contentText(lines, section.heading.end, section.end));
  if (actions === 0)
    log.add(
      'actions-missing',
      `"## Action Plan" contains ${other ? `${other.what} instead of actions` : 'no action'}.`,
      {
        line: planLine(section.heading.at),
        hint: other?.hint ?? 'Write at least one action under it, such as "### `READ`".',
      },
    );
  if (!other) for (const fence of fences) reportUnexpected(fence, 'before the first action', log);
}

function requireSection(
  outline: PlanParts,
  name: SectionName,
  log: PlanIssueLog,
): SectionOutline | undefined {
  const section = outline.sections.get(name);
  if (section) {
    if (!section.heading.spaced) {
      log.add('heading-spacing', `"##${name}" has no space after its "##".`, {
        line: planLine(section.heading.at),
      });
    }
    return section;
  }
  const firstAction = outline.actions[0]?.heading.at;
  log.add('section-missing', `Expected "## ${name}".`, {
    line: planLine(firstAction ?? outline.title?.at ?? 0),
    hint:
      name === 'Rationale'
        ? 'After the header: "## Rationale" and one fenced block with the four sections of the reasoning.'
        : 'Put all actions under one "## Action Plan".',
  });
  return undefined;
}

function reportOrder(outline: PlanParts, log: PlanIssueLog): void {
  let last = -1;
  for (const name of SECTIONS) {
    const heading = outline.sections.get(name)?.heading;
    if (!heading) continue;
    if (heading.at < last) {
      log.add('section-order', `"## ${name}" comes before a section that it should follow.`, {
        line: planLine(heading.at),
        hint: `The order is ${SECTIONS.join(', ')}.`,
      });
    }
    last = Math.max(last, heading.at);
  }
}

/** The text of a section: its single block, or, without a fence, all that is under its heading. */
function readBlock(
  lines: Lines,
  section: SectionOutline,
  name: SectionName,
  log: PlanIssueLog,
): { text: string; first: number; isFenced: boolean } | undefined {
  const { heading, blocks, end } = section;
  const fences = blocks.filter((block): block is Fence => block.type === 'fence');
  const [fence, ...others] = fences;
  if (isUnfenced(section)) {
    log.add('block-unfenced', `"## ${name}" has no fenced block; read the text under it instead.`, {
      line: planLine(heading.at),
      hint: 'Put the text of the section between two lines of ````.',
    });
    for (const each of fences) reportUnclosed(each, lines, log);
    const first = blocks[0]!.at;
    return { text: `${contentText(lines, first, end).trimEnd()}\n`, first, isFenced: false };
  }
  if (!fence) {
    log.add('block-missing', `Expected one fenced block under "## ${name}".`, {
      line: planLine(heading.at),
      hint: `Put the text of the section between two lines of \`\`\`\`.`,
    });
    return undefined;
  }
  reportUnclosed(fence, lines, log);
  if (others.length > 0) reportSecondBlock(fence, others, log);
  for (const block of blocks) if (isText(block)) reportStray(lines, block.at, log);
  return { text: fenceText(lines, fence), first: fence.at + 1, isFenced: true };
}

/** A heading before the first fence is one of the text: what is fenced below is part of it. */
function isUnfenced({ blocks }: SectionOutline): boolean {
  const fence = blocks.findIndex(({ type }) => type === 'fence');
  if (fence === -1) return blocks.some(isText);
  return blocks.slice(0, fence).some(({ type }) => type === 'heading');
}

function isText({ type }: Block): boolean {
  return type === 'text' || type === 'list' || type === 'heading';
}
