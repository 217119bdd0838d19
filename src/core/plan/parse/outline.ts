import { type Block, type Heading, scanBlocks } from '../../markdown/blocks.js';
import type { Lines } from '../../markdown/lines.js';
import { ACTIONS } from '../actions.js';
import {
  type ActionName,
  readActionHeading,
  readActionName,
  readEditLabel,
  readSectionName,
  readStrictAction,
  type SectionName,
} from '../grammar.js';
import { type PlanIssueLog, planLine, reportStray } from '../issues.js';
import { explainUnknownAction } from '../unknown-action.js';

export interface PlanParts {
  title: Heading | undefined;
  header: Block[];
  sections: Map<SectionName, SectionOutline>;
  actions: ActionOutline[];
}

export interface SectionOutline {
  heading: Heading;
  blocks: Block[];
  /** The line after the section's last. */
  end: number;
}

export interface ActionOutline {
  heading: Heading;
  name: ActionName;
  blocks: Block[];
  /** The line after the action's last. */
  end: number;
}

/** Sorts a document's blocks into the parts of a plan, and names those that fit nowhere. */
export function outlinePlan(lines: Lines, log: PlanIssueLog): PlanParts {
  const outline: PlanParts = { title: undefined, header: [], sections: new Map(), actions: [] };
  const nowhere: Block[] = [];
  let current = nowhere;
  let message = false;
  let open: { end: number } | undefined;
  const startPart = (part: { end: number } | undefined, line: number): void => {
    if (open) open.end = line;
    open = part;
  };
  for (const block of scanBlocks(lines)) {
    const action = block.type === 'heading' ? findAction(lines, block, outline) : undefined;
    if (block.type === 'heading' && action) {
      if (message && block.level !== 3) reportInMessage(block, action, log);
      const part = { heading: block, name: action, blocks: [], end: lines.count };
      startPart(part, block.at);
      current = part.blocks;
      message = ACTIONS[action.type].body === 'message';
      outline.actions.push(part);
      continue;
    }
    if (block.type !== 'heading' || message) {
      current.push(block);
      continue;
    }
    const section = block.level === 2 ? readSectionName(block.text) : undefined;
    if (block.level <= 2) startPart(undefined, block.at);
    if (section) {
      const part = { heading: block, blocks: [], end: lines.count };
      startPart(part, block.at);
      current = part.blocks;
      openSection(outline, part, section, log);
    } else if (block.level === 1 && (block.spaced || !outline.title) && !readStrictAction(block.text)) {
      if (!outline.title && outline.sections.size === 0) {
        outline.title = block;
        current = outline.header;
        for (const { heading } of outline.actions) reportEarly(heading, block, log);
      } else {
        reportHeading(block, outline, log);
      }
    } else if (readEditLabel(headingLine(block)) || isReasoning(block, current, outline)) {
      current.push(block);
    } else {
      current = misplaced(block, outline, current, nowhere, log);
    }
  }
  reportNowhere(lines, nowhere, outline, log);
  return outline;
}

/** At another level than the format's, or by another name, only where actions are expected. */
function findAction(lines: Lines, heading: Heading, outline: PlanParts): ActionName | undefined {
  const name = readActionHeading(lines, heading);
  return (name && !name.unknown && heading.level === 3) || isAmongActions(outline) ? name : undefined;
}

function isAmongActions({ sections, actions }: PlanParts): boolean {
  return sections.has('Action Plan') || actions.length > 0;
}

/** A Rationale that is not fenced has its headings in the open. */
function isReasoning({ level }: Heading, current: Block[], { sections }: PlanParts): boolean {
  return level > 2 && current === sections.get('Rationale')?.blocks;
}

function openSection(
  { sections }: PlanParts,
  section: SectionOutline,
  name: SectionName,
  log: PlanIssueLog,
): void {
  if (!sections.has(name)) {
    sections.set(name, section);
    return;
  }
  log.add('section-repeated', `"## ${name}" occurs twice.`, {
    line: planLine(section.heading.at),
    hint: `Keep one "## ${name}". If this one belongs to the content of a block, give that block a longer fence.`,
  });
}

function misplaced(
  heading: Heading,
  outline: PlanParts,
  current: Block[],
  nowhere: Block[],
  log: PlanIssueLog,
): Block[] {
  const inActions = isAmongActions(outline);
  const named = readStrictAction(heading.text) ?? (inActions ? readActionName(heading.text) : undefined);
  if (named || (inActions && heading.level === 3) || heading.level === 1) {
    reportHeading(heading, outline, log);
    return [];
  }
  if (heading.level === 2 && inActions) {
    log.add('heading-unexpected', `"## ${heading.text}" among the actions is not part of a plan.`, {
      line: planLine(heading.at),
      hint: 'If it belongs to the content of the block before it, give that block a fence longer than any inside it.',
    });
    return [];
  }
  if (heading.level === 2) {
    log.add('section-unknown', `"## ${heading.text}" is not a section of a plan; ignored.`, {
      line: planLine(heading.at),
    });
    return [];
  }
  nowhere.push(heading);
  return current;
}

function reportEarly(action: Heading, title: Heading, log: PlanIssueLog): void {
  log.add(
    'title-missing',
    `"### ${action.text}" comes before the title, which is at line ${planLine(title.at)}.`,
    {
      line: planLine(action.at),
      hint: 'Start the plan with its title, and put every action under "## Action Plan".',
    },
  );
}

function reportHeading(heading: Heading, outline: PlanParts, log: PlanIssueLog): void {
  const line = planLine(heading.at);
  if (heading.level === 1 && !readStrictAction(heading.text)) {
    log.add('title-repeated', `Second level-1 heading outside the blocks: "${heading.text}".`, {
      line,
      hint: outline.title
        ? 'A plan has one title. If this line belongs to the content of a block, give that block a longer fence.'
        : 'The title comes first, before "## Rationale".',
    });
    return;
  }
  const known = readActionName(heading.text);
  if (!known || known.unknown) {
    reportUnknownAction(heading, log);
    return;
  }
  const { level } = heading;
  const problem =
    level === 3
      ? 'has no list of metadata under it, so it is not an action'
      : `has ${level} "#"; an action heading has 3`;
  log.add('action-unknown', `"${headingLine(heading)}" ${problem}.`, {
    line,
    hint: `Write "### \`${known.type}\`", with the action's metadata under it.`,
  });
}

export function reportUnknownAction(heading: Heading, log: PlanIssueLog): void {
  const { message, hint } = explainUnknownAction(heading.text, `"${headingLine(heading)}"`);
  log.add('action-unknown', message, { line: planLine(heading.at), hint });
}

function reportInMessage(heading: Heading, { type }: ActionName, log: PlanIssueLog): void {
  const message = `"${headingLine(heading)}" is either an action or part of the message above: it has ${heading.level} "#", and an action heading has 3.`;
  const hint = `For an action, write "### \`${type}\`". In a message, put it in a fenced block.`;
  log.add('action-unknown', message, { line: planLine(heading.at), hint });
}

function reportNowhere(lines: Lines, blocks: Block[], outline: PlanParts, log: PlanIssueLog): void {
  for (const block of blocks) {
    if (block.type === 'rule') continue;
    reportStray(
      lines,
      block.at,
      log,
      outline.title && block.at < outline.title.at ? ' before the title' : '',
    );
  }
}

export function headingLine(heading: Heading): string {
  return `${'#'.repeat(heading.level)} ${heading.text}`;
}
