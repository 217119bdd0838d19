import { readPlanFrontmatter } from './frontmatter.js';
import type { TaskPlan } from './types.js';

const IN_FILE_NAME = /^(\d{1,3}(?:\.\d{1,3})*-\d{1,3})(?![\p{L}\p{N}])/u;
const LEADING = /^(?:phase\s*)?(\d{1,9}(?:\.\d{1,9})*)(?![\p{L}\p{N}])/iu;

/** `03-01` of `03-01-PLAN.md`; else phase and plan of the frontmatter; else the file's name without its extension. */
export function planIdOf(path: string, plan: TaskPlan): string {
  const file = path.slice(Math.max(path.lastIndexOf('/'), path.lastIndexOf('\\')) + 1);
  const inName = IN_FILE_NAME.exec(file)?.[1];
  if (inName !== undefined) return inName;
  const frontmatter = readPlanFrontmatter(plan);
  const whole = IN_FILE_NAME.exec(frontmatter.plan ?? '')?.[1];
  if (whole !== undefined) return whole;
  const phase = LEADING.exec(frontmatter.phase ?? '')?.[1];
  const number = /^\d{1,9}$/.exec(frontmatter.plan ?? '')?.[0];
  if (phase !== undefined && number !== undefined) return `${phase}-${number}`;
  const dot = file.lastIndexOf('.');
  return dot > 0 ? file.slice(0, dot) : file;
}

/** The phase as a number without leading zeros: `3`, `2.1`. */
export function phaseOf(planId: string, plan: TaskPlan): string | null {
  const inId = /^(\d{1,9}(?:\.\d{1,9})*)-\d{1,9}$/.exec(planId)?.[1];
  const phase = inId ?? LEADING.exec(readPlanFrontmatter(plan).phase ?? '')?.[1];
  return phase === undefined ? null : phase.replace(/^0+(?=\d)/, '');
}
