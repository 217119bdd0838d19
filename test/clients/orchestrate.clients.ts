import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, test, vi } from 'vitest';
import { readEvents } from '../cli/orchestrate/site.js';
import { endOf } from '../cli/sessions/site.js';
import { CLIENTS, openClientSite } from './clients.js';
import { REAL_CLIENTS, usageOf } from './real-clients.js';
import { ASIDE, MAKE, running, waiting } from './script.js';
import type { Act, Conversation } from './scripted-model.js';

/** A model that fails at the work itself. */
function failing(status: number): (conversation: Conversation) => Act {
  return ({ tools }) => (tools.length === 0 ? ASIDE : { status });
}

for (const each of CLIENTS)
  describe(each.title, () => {
    const { client, version, folder } = each;
    const real = REAL_CLIENTS[client];
    const words = ['--executor', client];

    test.skipIf(folder === null).each([true, false])(
      'a task is done and verified, with its tokens and cost, confined: %s',
      async (confined) => {
        const script = running(real, MAKE, 'test -s made-01-01-1.txt');
        const { model, site } = await openClientSite(each, script, { confined });
        const { exit, summary } = await site.conduct(...words);
        expect({ exit, done: summary.done }).toEqual({ exit: 0, done: 1 });
        expect(site.read('made-01-01-1.txt')).toBe('alpha\n');
        const { inputTokens, outputTokens, costUsd } = summary.usage;
        expect({ inputTokens, outputTokens, costUsd: costUsd && Number(costUsd.toFixed(9)) }).toEqual(
          usageOf(model.answered, real),
        );
      },
    );

    test.skipIf(folder === null)(
      'three tasks at once in a new home folder are done at the first attempt',
      async () => {
        const script = async (conversation: Conversation): Promise<Act> => {
          const number = /Task (\d): Part/.exec(conversation.prompt)?.[1] ?? '1';
          const act = await running(real, MAKE)(conversation);
          const own = JSON.stringify(act).replaceAll('01-01-1', `01-01-${number}`);
          return JSON.parse(own.replaceAll('Task 1: Part 1', `Task ${number}: Part ${number}`));
        };
        const { site } = await openClientSite(each, script, { tasks: 3 });
        const { exit, summary } = await site.conduct(...words, '--jobs', '3');
        expect({ exit, done: summary.done }).toEqual({ exit: 0, done: 3 });
        expect(summary.attempts).toBe(3);
      },
    );

    test.skipIf(folder === null || real.refusesNothing?.includes(version))(
      'a command that the client refuses does not run, and the task goes on',
      async () => {
        const script = running(real, 'touch refused.txt', MAKE);
        const { model, site } = await openClientSite(each, script, { files: real.refusal });
        const { exit, summary, of } = await site.conduct(...words);
        expect({ exit, done: summary.done }).toEqual({ exit: 0, done: 1 });
        expect(site.has('refused.txt')).toBe(false);
        const seen = model.answered.flatMap(({ results }) => results);
        expect(seen[0]).toMatch(/den[iy]|refus|reject|forbid|prevent|block|not allowed/i);
        const { warnings } = of('finished')[0]!;
        if (client === 'claude') expect(warnings.join('\n')).toContain('Bash');
      },
    );

    test.skipIf(folder === null).each([
      [429, 'rate-limit'],
      [500, 'crash'],
    ])('HTTP %i of its model fails the attempt as %s', async (status, why) => {
      const isEndless = real.triesOn?.includes(version) === true;
      const config = isEndless ? 'orchestrate: {taskTime: 60s}\n' : '';
      const { site, model } = await openClientSite(each, failing(status), { config });
      const { summary, of } = await site.conduct(...words, '--max-attempts', '1');
      expect(model.asked.length).toBeGreaterThan(0);
      expect(of('finished').map((finished) => finished.why)).toEqual([isEndless ? 'time-out' : why]);
      expect(summary.questions.map((question) => question.why)).toEqual(['attempts-exhausted']);
    });

    test.skipIf(folder === null)('HTTP 401 of its model is one question, and no attempt', async () => {
      const { site } = await openClientSite(each, failing(401));
      const { summary } = await site.conduct(...words);
      expect(summary.questions.map(({ why }) => why)).toEqual(['unusable']);
      expect(summary.questions[0]!.message).toMatch(/The key is not valid|401 Unauthorized/);
      expect(summary).toMatchObject({ attempts: 0, done: 0 });
    });

    test.skipIf(folder === null).each([true, false])(
      'what it runs ends when its time is up, confined: %s',
      async (confined) => {
        const { command, isRunning } = waiting();
        // Until it is long enough for the client to start the command.
        for (const seconds of [20, 60, 180]) {
          const config = `orchestrate: {taskTime: ${seconds}s, maxAttempts: 1}\n`;
          const { site } = await openClientSite(each, running(real, command), { config, confined });
          const ended = site.conduct(...words);
          let hasRun = false;
          const watch = setInterval(() => {
            hasRun ||= isRunning();
          }, 50);
          const { summary, of } = await ended.finally(() => clearInterval(watch));
          expect(of('finished').map(({ why }) => why)).toEqual(['time-out']);
          expect({ done: summary.done, left: isRunning() }).toEqual({ done: 0, left: false });
          if (hasRun) return;
        }
        throw new Error('The command never ran.');
      },
    );

    test.skipIf(folder === null)(
      'what it runs ends with two Ctrl-C, and nothing counts as failed',
      async () => {
        const { command, isRunning } = waiting();
        const { site } = await openClientSite(each, running(real, command), { confined: false });
        const child = site.start(['orchestrate', '--yes', '--json', ...words]);
        const ended = endOf(child);
        await vi.waitUntil(isRunning, { timeout: 300_000 });
        child.kill('SIGINT');
        await sleep(200);
        child.kill('SIGINT');
        const { exit, stdout } = await ended;
        expect({ exit, left: isRunning() }).toEqual({ exit: 130, left: false });
        expect(readEvents(stdout).summary).toMatchObject({ stopped: 'interrupted', attempts: 0, failed: 0 });
      },
    );
  });
