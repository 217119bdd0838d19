import { type Block, type Heading, scanBlocks } from '../../markdown/blocks.js';
import type { Lines } from '../../markdown/lines.js';
import { ACTION_TYPES, ACTIONS } from '../actions.js';
import { reportStray } from '../departures.js';
import {
  type ActionName,
  readActionHeading,
  readActionName,
  readEditLabel,
  readSectionName,
  readStrictAction,
  type SectionName,
} from '../grammar.js';
import { type PlanIssueLog, planLine } from '../issues.js';

export interface PlanOutline {
  title: Heading | undefined;
  header: Block[];
  sections: Map<SectionName, SectionOutline>;
  actions: ActionOutline[];
}

export interface SectionOutline {
  heading: Heading;
  blocks: Block[];
}

export interface ActionOutline {
  heading: Heading;
  name: ActionName;
  blocks: Block[];
  /** The line after the action's last. */
  end: number;
}

/** Sorts a document's blocks into the parts of a plan, and names those that fit nowhere. */
export function outlinePlan(lines: Lines, log: PlanIssueLog): PlanOutline {
  const outline: PlanOutline = { title: undefined, header: [], sections: new Map(), actions: [] };
  const nowhere: Block[] = [];
  let current = nowhere;
  let message = false;
  for (const block of scanBlocks(lines)) {
    const action =
      block.type === 'heading' && block.level === 3
        ? readActionHeading(lines, block.at, block.text)
        : undefined;
    if (block.type === 'heading' && action) {
      closeAction(outline, block.at);
      current = [];
      message = ACTIONS[action.type].body === 'message';
      outline.actions.push({ heading: block, name: action, blocks: current, end: lines.count });
      continue;
    }
    if (block.type !== 'heading' || message) {
      current.push(block);
      continue;
    }
    const section = block.level === 2 ? readSectionName(block.text) : undefined;
    if (section) {
      current = openSection(outline, block, section, log);
    } else if (block.level === 1 && (block.spaced || !outline.title) && !readStrictAction(block.text)) {
      if (!outline.title && outline.sections.size === 0) {
        outline.title = block;
        current = outline.header;
        for (const { heading } of outline.actions) reportEarly(heading, block, log);
      } else {
        reportHeading(block, outline, log);
      }
    } else if (readEditLabel(headingLine(block))) {
      current.push(block);
    } else {
      current = misplaced(block, outline, current, nowhere, log);
    }
  }
  reportNowhere(lines, nowhere, outline, log);
  return outline;
}

function closeAction(outline: PlanOutline, line: number): void {
  const last = outline.actions.at(-1);
  if (last) last.end = line;
}

function openSection(outline: PlanOutline, heading: Heading, name: SectionName, log: PlanIssueLog): Block[] {
  const line = planLine(heading.at);
  if (outline.sections.has(name)) {
    log.add('section-repeated', `"## ${name}" occurs twice.`, {
      line,
      hint: `Keep one "## ${name}". If this one belongs to the content of a block, give that block a longer fence.`,
    });
    return [];
  }
  const blocks: Block[] = [];
  outline.sections.set(name, { heading, blocks });
  return blocks;
}

function misplaced(
  heading: Heading,
  outline: PlanOutline,
  current: Block[],
  nowhere: Block[],
  log: PlanIssueLog,
): Block[] {
  const inActions = outline.sections.has('Action Plan') || outline.actions.length > 0;
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

function reportHeading(heading: Heading, outline: PlanOutline, log: PlanIssueLog): void {
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
  const written = `"${'#'.repeat(heading.level)} ${heading.text}"`;
  const message =
    known && heading.level !== 3
      ? `${written} has ${heading.level} "#"; an action heading has 3.`
      : `Unknown action ${written}.`;
  log.add('action-unknown', message, {
    line,
    hint: known
      ? `Write "### \`${known.type}\`", with the action's metadata under it.`
      : `Expected one of ${ACTION_TYPES.join(', ')}, as in "### \`CREATE\`".`,
  });
}

function reportNowhere(lines: Lines, blocks: Block[], outline: PlanOutline, log: PlanIssueLog): void {
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

function headingLine(heading: Heading): string {
  return `${'#'.repeat(heading.level)} ${heading.text}`;
}
