import { describe, expect, test } from 'vitest';
import { reportOf } from '../cli/agents/project.js';
import { endOf } from '../cli/sessions/site.js';
import { CLIENTS, openClientSite } from './clients.js';
import { ASIDE } from './script.js';
import { type Act, ANSWER_TOOL, type Conversation } from './scripted-model.js';

/** 1.0.128 has no such option, and is started again without it. */
const TAKES_SCHEMA = /^(?:claude (?!1\.)|codex )/;

/** In the strict form: every key is there. */
function strictReport(): Record<string, unknown> {
  const { report_metadata } = JSON.parse(reportOf());
  return {
    report_metadata: {
      ...report_metadata,
      token_usage: null,
      execution_time_seconds: null,
      error_message: null,
    },
    findings: { context_map: [{ text: 'There is little to see.', uri: null }], answers: null },
    recommendations: null,
    identified_gaps: null,
    blockers: null,
  };
}

/** Answers in the strict form where there is a schema: by claude's tool for it, or as text. */
function report({ tools, results, schema }: Conversation): Act {
  if (schema === undefined) return tools.length === 0 ? ASIDE : { text: reportOf() };
  const tool = tools.find(({ name }) => name === ANSWER_TOOL);
  if (tool === undefined) return { text: JSON.stringify(strictReport()) };
  return results.length === 0 ? { use: { tool, input: strictReport() } } : { text: 'It is done.' };
}

for (const each of CLIENTS)
  describe(each.title, () => {
    const { client, folder, title } = each;

    test.skipIf(folder === null).each([true, false])(
      'agent run: a report by the schema that the client gets; confined: %s',
      async (confined) => {
        const { model, site } = await openClientSite(each, report, { confined });
        const goal = ['--task-id', 'auth-1', '--goal', 'Find it.', '--field', 'questions=Where?'];
        const start = ['agent', 'run', 'investigator', '--with', client, '--json', '--retries', '0', ...goal];
        const { exit, stdout } = await endOf(site.start([...start, ...(confined ? [] : ['--unconfined'])]));
        expect({ exit, said: JSON.parse(stdout) }).toMatchObject({
          exit: 0,
          said: { compliant: true, attempts: [{ status: 'answered' }] },
        });
        expect(model.answered.some(({ schema }) => schema !== undefined)).toBe(TAKES_SCHEMA.test(title));
      },
    );
  });
