import { Ajv2020 } from 'ajv/dist/2020.js';
import { BUILT_IN } from '../src/agents/built-in.js';
import { judgeReport } from '../src/core/agent-report/judge.js';
import { parseManual } from '../src/core/agent-report/manual/parse.js';
import { reportSchema } from '../src/core/agent-report/report-schema.js';
import type { Manual } from '../src/core/agent-report/types.js';
import type { JsonObject } from '../src/core/json/values.js';
import { ratio } from './speed.js';
import type { Check } from './table.js';

const SIZE = 5_000_000;
const ROUNDS = 30;

interface Shape {
  name: string;
  agent: string;
  findings: JsonObject;
  more?: JsonObject;
}

/** The time to judge a report, compared with JSON.parse and ajv with the exported schema. */
export function benchAgentReport(): Check[] {
  return SHAPES.map(({ name, agent, findings, more }) => {
    const manual = manualOf(agent);
    const text = fill({ ...report(agent), findings, ...more });
    const options = {
      manualOf: () => manual,
      asked: { agent, taskId: 'bench', verbosity: 'detailed' as const },
      lenient: false,
    };
    const validate = new Ajv2020({ strictTypes: false, strictTuples: false }).compile(reportSchema(manual));
    const judge = () => judgeReport(text, options);
    const parse = () => validate(JSON.parse(text));
    const { compliant, issues } = judge();
    if (!compliant || !parse()) throw new Error(`${name}: ${issues[0]?.message ?? 'ajv refuses it'}`);
    return { name, value: ratio(judge, parse, ROUNDS), limit: 3, bound: 'at most', unit: '×' };
  });
}

function manualOf(name: string): Manual {
  const { manual, issues } = parseManual(name, BUILT_IN.get(name) ?? '');
  if (manual === null) throw new Error(`the manual ${name} is not read: ${issues[0]?.message}`);
  return manual;
}

function report(agent: string): JsonObject {
  const metadata = { agent_name: agent, task_id: 'bench', status: 'completed', verbosity_level: 'detailed' };
  return { report_metadata: { ...metadata, confidence_level: 0.9, token_usage: 4250 } };
}

const WORDS = 'What there is to know about "this" part:\n';

/** As many entries as there are to be, each as long as it takes to get to the size. */
function entries<T>(count: number, make: (index: number, words: string) => T): T[] {
  const room = Math.max(0, Math.floor(SIZE / count) - JSON.stringify(make(count, '')).length - 1);
  // Quotes and line breaks take two characters each.
  const length = Math.floor((room * WORDS.length) / (JSON.stringify(WORDS).length - 2));
  const words = WORDS.repeat(Math.ceil(length / WORDS.length)).slice(0, length);
  return Array.from({ length: count }, (_, index) => make(index, words));
}

const SHAPES: Shape[] = [
  {
    name: '5 MB in 50 long texts',
    agent: 'investigator',
    findings: { context_map: entries(50, (_, words) => [words, null]) },
  },
  {
    name: '5 MB in 60,000 entries of a context map',
    agent: 'investigator',
    findings: {
      context_map: entries(60_000, (i, words) => [words, `repo://src/part-${i}.ts:${i + 1}-${i + 9}`]),
    },
  },
  {
    name: '5 MB in 40,000 changed files',
    agent: 'implementer',
    findings: {
      summary: 'Much is different now.',
      changed_files: entries(40_000, (i, about) => ({ path: `src/part-${i}.ts`, change: 'modified', about })),
      new_dependencies: [],
      verification: [],
    },
  },
  {
    name: '5 MB in 30,000 issues with lines',
    agent: 'reviewer',
    findings: {
      verdict: 'changes_required',
      checklist: [],
      issues: entries(30_000, (i, problem) => ({
        file: `src/part-${i}.ts`,
        lines: { from: i + 1, to: i + 2 },
        severity: 'minor',
        problem: `${problem}.`,
        suggested_fix: 'Another.',
      })),
    },
  },
  {
    name: '5 MB in 100,000 recommendations',
    agent: 'investigator',
    findings: { context_map: [] },
    more: { recommendations: entries(100_000, (i, words) => `${i}: ${words}`) },
  },
];

function fill(value: JsonObject): string {
  const text = JSON.stringify(value);
  if (Math.abs(text.length - SIZE) > SIZE / 20) throw new Error(`a report of ${text.length} characters`);
  return text;
}
