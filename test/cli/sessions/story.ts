import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect } from 'vitest';
import { type ModelServer, type ModelStep, startModelServer } from '../../model-server.mjs';
import { type Ended, endOf, Site, until } from './site.js';

const TEXTS = fileURLToPath(new URL('fixtures/ten-turns/', import.meta.url));

export const textOf = (path: string) => readFileSync(`${TEXTS}${path}`, 'utf8');

const answer = (name: string, more: Partial<ModelStep> = {}): ModelStep => ({
  answer: textOf(`answers/${name}.md`),
  usage: { input: 2000, output: 500 },
  ...more,
});

/** Half of an answer, as it is when the token limit is reached: it would pass for a plan. */
export const CUT_OFF = `${textOf('answers/03.md').split('### `EXECUTE`')[0]}### \`EXECUTE\`
- **Description:** See that all is well be`;

/** Where the server falls silent in turn 05. */
export const SILENT_AFTER = 330;

/** A session on its way: each command a minute after the one before. */
export class Story {
  private minute = 0;
  private readonly steps: ModelStep[];

  private constructor(
    readonly site: Site,
    readonly model: ModelServer,
    steps: ModelStep[],
  ) {
    this.steps = steps;
  }

  static async begin(files: Record<string, string>): Promise<Story> {
    const steps: ModelStep[] = [];
    const model = await startModelServer(() => steps.shift() ?? { status: 400, body: 'Not in the story.' });
    const prices = ['inputPrice: 3', 'outputPrice: 15', 'maxOutputTokens: 800'];
    return new Story(new Site(files, { url: model.url, model: prices }), model, steps);
  }

  /** From the first turn to the end of the line of work. */
  async tell(): Promise<void> {
    await this.teddy(['new', 'larder', '--agent', 'pathfinder']);
    this.site.write('.teddy/sessions/larder/session.context', '# All that is written down.\ndocs/*.md\n');

    // 01: looks around.
    await this.plan(['-m', 'I want to see at a glance what has run out.'], [answer('01')]);
    await this.teddy(['resume', '--yes']);

    // 02: names an agent and a file that are not there, is told so, and hands over to one that is.
    await this.plan([], [answer('02-refused'), answer('02')]);
    await this.teddy(['resume', '--yes']);

    // 03, one level down: too long at first; then one action is skipped, with a reason.
    await this.plan(
      ['-m', 'Keep it small.'],
      [{ ...answer('03'), answer: CUT_OFF, finish: 'length' }, answer('03')],
    );
    await this.decide('03');

    // 04: the memo is skipped, the handover is not.
    await this.plan([], [answer('04')]);
    await this.decide('04');

    // 05, two levels down: the process is killed while the model answers, and another one asks again.
    await this.killPlan(answer('05', { stallAfter: SILENT_AFTER }));
    await this.plan([], [answer('05')]);
    await this.teddy(['resume', '--yes'], { exit: 1 });

    // 06: the process is killed while a command runs.
    await this.plan([], [answer('06')]);
    await this.killRun();

    // 07, by clipboard: the first command of it ends what was left of 06.
    await this.teddy(['context', '-m', 'That command never ends. Leave it out.']);
    this.site.clipboard = textOf('answers/07.md');
    await this.teddy(['execute', '--yes']);

    // 08: back to the architect.
    await this.plan([], [answer('08')]);
    await this.teddy(['resume', '--yes']);

    // 09: somebody changes the file before the plan is carried out, so that it is refused; the next one goes back.
    await this.plan([], [answer('09-refused')]);
    this.site.write('README.md', '# larder\n\n`sh larder.sh` tells what is left, and what is gone.\n');
    await this.teddy(['resume', '--yes'], { exit: 1 });
    await this.plan(['-m', 'I have changed the README myself.'], [answer('09')]);
    await this.teddy(['resume', '--yes']);

    // 10: the person asks for another plan, replies to a question, and skips without a reason.
    await this.plan([], [answer('10-replaced')]);
    await this.teddy(['resume', '-m', 'One question, please.'], { model: [answer('10')] });
    await this.decide('10');

    // 11: nobody waits for it any more.
    await this.plan([], [answer('11')]);
    await this.teddy(['resume', '--yes']);
    expect(this.steps).toEqual([]);
  }

  async teddy(words: string[], { exit = 0, model = [] as ModelStep[] } = {}): Promise<Ended> {
    this.steps.push(...model);
    const ended = await this.site.run(words, this.now());
    expect(ended, `teddy ${words.join(' ')}: ${ended.stderr}${ended.stdout}`).toMatchObject({ exit });
    return ended;
  }

  private plan(words: string[], model: ModelStep[]): Promise<Ended> {
    return this.teddy(['plan', ...words], { model });
  }

  private decide(turn: string): Promise<Ended> {
    this.site.write('../decisions.yaml', textOf(`decisions/${turn}.yaml`));
    return this.teddy(['resume', '--decisions', '../decisions.yaml']);
  }

  private async killPlan(step: ModelStep): Promise<void> {
    this.steps.push(step);
    const child = this.site.start(['plan'], this.now());
    const part = '.teddy/sessions/larder/05/answer.part';
    const came = [...step.answer!].slice(0, SILENT_AFTER).join('');
    await until(
      () => this.site.has(part) && this.site.read(part) === came,
      'all that was sent is in answer.part',
    );
    child.kill('SIGKILL');
    expect(await endOf(child)).toMatchObject({ signal: 'SIGKILL' });
  }

  private async killRun(): Promise<void> {
    const child = this.site.start(['resume', '--yes'], this.now());
    await until(() => this.site.has('watch.log') && this.site.read('watch.log') !== '', 'the command runs');
    child.kill('SIGKILL');
    expect(await endOf(child)).toMatchObject({ signal: 'SIGKILL' });
  }

  private now(): { TEDDY_NOW: string } {
    const minute = String(this.minute++).padStart(2, '0');
    return { TEDDY_NOW: `2026-03-01T09:${minute}:00Z` };
  }
}
