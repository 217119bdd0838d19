import { benchAgentReport } from './agent-report.js';
import { benchCapture } from './capture.js';
import { benchCommit } from './commit.js';
import { benchContext } from './context.js';
import { benchEdit } from './edit.js';
import { benchExecute } from './execute.js';
import { benchMcp } from './mcp.js';
import { benchOrchestrate } from './orchestrate.js';
import { benchGraph } from './orchestrate-graph.js';
import { benchPage } from './page.js';
import { benchRepair } from './repair.js';
import { benchSpeed } from './speed.js';
import { benchStart } from './start.js';
import { type Check, checkTable, holds } from './table.js';
import { benchUndo } from './undo.js';
import { benchWalk } from './walk.js';
import { benchWebStart } from './web.js';
import { benchWrap } from './wrap.js';

const PARTS: Record<string, () => Check[] | Promise<Check[]>> = {
  repair: benchRepair,
  edit: async () =>
    (await benchEdit()).map(({ name, ratio, limit, detail }) => ({
      name,
      value: ratio,
      limit,
      bound: 'at most',
      unit: '×',
      ...(detail === undefined ? {} : { detail }),
    })),
  start: benchStart,
  speed: benchSpeed,
  commit: benchCommit,
  execute: benchExecute,
  capture: benchCapture,
  agent: benchAgentReport,
  context: benchContext,
  graph: benchGraph,
  orchestrate: benchOrchestrate,
  mcp: benchMcp,
  walk: benchWalk,
  page: benchPage,
  web: benchWebStart,
  wrap: benchWrap,
  undo: benchUndo,
};

/** Runs the parts that are named, or all of them. The result is the exit code. */
export async function main(names: string[]): Promise<number> {
  const unknown = names.filter((name) => !Object.hasOwn(PARTS, name));
  if (unknown.length > 0) {
    console.error(`No such part: ${unknown.join(', ')}. There are: ${Object.keys(PARTS).join(', ')}.`);
    return 2;
  }
  let missed = 0;
  for (const name of names.length > 0 ? names : Object.keys(PARTS)) {
    const start = performance.now();
    console.log(`== ${name}\n`);
    const checks = await PARTS[name]!();
    console.log(checkTable(checks));
    console.log(`\n${((performance.now() - start) / 1000).toFixed(0)} s\n`);
    missed += checks.filter((check) => !holds(check)).length;
  }
  console.log(missed === 0 ? 'Every limit is kept.' : `Limits missed: ${missed}.`);
  return missed === 0 ? 0 : 1;
}
