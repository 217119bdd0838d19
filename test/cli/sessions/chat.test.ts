import { chmodSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { makeFolder } from '../../folder.js';
import type { ModelServer } from '../../model-server.mjs';
import { chat, conclude, create, edit, invoke, planOf } from '../../runs/boundary/plan.js';
import { noPython } from '../pty/terminal.js';
import { atPrompt, atReply, beginChat, lastRow, say, submit } from './chat.js';

const HONEY = planOf([create('honey.txt', 'sweet\n')], { title: 'Store the honey' });
const last = (model: ModelServer) => model.requests.at(-1)!.body;
const said = (model: ModelServer): string[] =>
  last(model)
    .messages.slice(1)
    .map(({ content }: { content: string }) => content);

describe.skipIf(noPython)(`teddy chat${noPython}`, () => {
  test('without a session one is made; plan, review, result, and the next message', async () => {
    const { site, model, open } = await beginChat([{ answer: HONEY }]);
    const terminal = open('-m', 'Store the honey, please.');
    await terminal.shows(/1 of 1.*n skip/s);
    expect(terminal.history()).toContain('> Store the honey, please.');
    expect(terminal.history()).toMatch(
      /Plan received \([\d,]+ tokens in, [\d,]+ out\); saved as answer\.md\./,
    );
    terminal.send('y');
    await atPrompt(terminal);
    expect(site.read('honey.txt')).toBe('sweet\n');
    expect(terminal.text()).toContain('Message to assistant (session store-the-honey-please)');
    terminal.send('\u0003');
    expect(await terminal.ended).toMatchObject({ exit: 130 });
    expect(terminal.history()).toContain('teddy chat continues this conversation');
    expect(model.requests).toHaveLength(1);
  });

  test('after e fixes a refused plan, the conversation continues with its reply', async () => {
    const tools = makeFolder({ 'ed.sh': '#!/bin/sh\nsed -i s/EXPLODE/CREATE/ "$1"\n' });
    chmodSync(join(tools, 'ed.sh'), 0o755);
    const plan = planOf([create('honey.txt', 'sweet\n'), chat('More?')]);
    const { site, model, open } = await beginChat([{ answer: plan }, { answer: 'Fine.' }], {
      env: { EDITOR: join(tools, 'ed.sh') },
    });
    const first = open('-m', 'Store');
    await first.shows(/1 of 2.*n skip/s);
    first.send('\u0003');
    await atPrompt(first);
    first.send('\u0003');
    await first.ended;
    const path = '.teddy/sessions/store/01/plan.md';
    site.write(path, site.read(path).replace('### `CREATE`', '### `EXPLODE`'));
    const terminal = open();
    await terminal.shows(/Unknown action EXPLODE.*e edit the plan/s);
    terminal.send('e');
    await terminal.shows(/1 of 2.*n skip/s);
    terminal.send('y');
    await atReply(terminal);
    await submit(terminal, 'Yes.');
    await terminal.shows(/assistant writes:\s+│ Fine\./);
    expect(model.requests).toHaveLength(2);
    expect(terminal.history()).not.toContain('Continue with teddy');
  });

  test('commands are typed instead of a message', async () => {
    const { site, model, open } = await beginChat([{ answer: HONEY }]);
    const terminal = open();
    await say(terminal, '/diff');
    await terminal.shows('No plan of this session has finished yet.');
    await say(terminal, '/undo');
    await terminal.shows('There are no runs here yet.');
    await say(terminal, '/cost');
    await terminal.shows('This session has used no tokens yet.');
    await say(terminal, '/help');
    await terminal.shows('/undo     restore the files as they were before the last run');
    await say(terminal, '/model');
    await terminal.shows('Model: test-model');
    await say(terminal, '/model other-model');
    await terminal.shows('Model: other-model');
    await say(terminal, '/context');
    await terminal.shows(/About \d+ tokens in total/);
    await atPrompt(terminal);
    terminal.send('/nonsense\r');
    await terminal.shows(
      '/nonsense is not a command. Commands: /undo /diff /context /cost /model /help /quit.',
    );
    await terminal.until(() => lastRow(terminal).includes('│ /nonsense'), 'what was typed');
    terminal.send('\u0015');
    terminal.send('//etc is a path\r');
    await terminal.shows(/1 of 1.*n skip/s);
    expect(site.read('.teddy/session')).toMatch(/^chat-\d{4}-\d\d-\d\d\n$/);
    expect(last(model).model).toBe('other-model');
    expect(said(model)[0]).toContain('/etc is a path');
    expect(said(model)[0]).not.toContain('//etc');
    terminal.send('y');
    await say(terminal, '/diff');
    await terminal.shows('+sweet');
    await say(terminal, '/cost');
    await terminal.shows(/: 1 answer, [\d,]+ tokens in, [\d,]+ out/);
    await say(terminal, '/undo');
    await terminal.until(() => !site.has('honey.txt'), 'that the file is gone');
    await say(terminal, '/quit');
    expect(await terminal.ended).toMatchObject({ exit: 0 });
    expect(model.requests).toHaveLength(1);
  });

  test('a prose answer is a message that you answer, and the model sees both', async () => {
    const question = 'Do you want **jam**, or bread?\n';
    const { site, model, open } = await beginChat([
      { answer: question },
      { answer: 'Red?\n' },
      { answer: HONEY },
    ]);
    const first = open('-m', 'Fill the larder.');
    await first.shows('assistant writes:');
    await first.shows('│ Do you want jam, or bread?');
    await atPrompt(first);
    expect(model.requests).toHaveLength(1);
    first.signal('KILL');
    await first.ended;

    const terminal = open();
    await terminal.shows('│ Do you want jam, or bread?');
    await say(terminal, 'Jam.');
    await terminal.shows('│ Red?');
    await say(terminal, 'Blue.');
    await terminal.shows(/1 of 1.*n skip/s);
    expect(said(model).slice(1)).toEqual([question, 'Jam.', 'Red?\n', 'Blue.']);
    const turn = '.teddy/sessions/fill-the-larder/01';
    expect(site.read(`${turn}/answer-1.md`)).toBe(question);
    expect(site.read(`${turn}/feedback-1.md`)).toBe('Jam.');
    expect(site.read(`${turn}/feedback-2.md`)).toBe('Blue.');
    const outcomes = site.read(`${turn}/meta.yaml`).match(/outcome: \w+/g);
    expect(outcomes).toEqual(['outcome: message', 'outcome: message', 'outcome: passed']);
    expect(site.read(`${turn}/input.md`)).toContain('Fill the larder.\n\nJam.\n\nBlue.\n');
    terminal.send('\u0003');
    await terminal.shows('The plan is still waiting for your review.');
    await atPrompt(terminal);
    terminal.send('\r');
    await terminal.shows(/1 of 1.*n skip/s);
    expect(model.requests).toHaveLength(3);
  });

  test('a second agent is invoked, works, concludes, and the first one continues', async () => {
    const { site, model, open } = await beginChat([
      { answer: planOf([invoke('architect', 'Where does the honey go?\n', 'README.md')], { title: 'Ask' }) },
      { answer: planOf([conclude('On the top shelf.\n', 'README.md')], { title: 'Advise' }) },
      { answer: HONEY },
    ]);
    const terminal = open('-m', 'Store the honey.');
    await terminal.shows(/1 of 1 {2}INVOKE.*n skip/s);
    terminal.send('y');
    await terminal.shows('Message to architect (session store-the-honey)');
    await terminal.until(() => /^ {2}│ *$/.test(lastRow(terminal)), 'the prompt');
    terminal.send('\r');
    await terminal.shows(/1 of 1 {2}CONCLUDE.*n skip/s);
    const architect = last(model).messages;
    expect(architect[0].content).toContain('architect');
    expect(said(model)[0]).toContain('Where does the honey go?');
    expect(said(model)[0]).toContain('A larder.');
    terminal.send('y');
    await atPrompt(terminal);
    terminal.send('\r');
    await terminal.shows(/1 of 1 {2}CREATE.*n skip/s);
    expect(said(model)[0]).toContain('On the top shelf.');
    terminal.send('y');
    await atPrompt(terminal);
    expect(site.read('honey.txt')).toBe('sweet\n');
    expect(model.requests).toHaveLength(3);
    const agents = ['01', '02', '03'].map(
      (turn) => site.read(`.teddy/sessions/store-the-honey/${turn}/meta.yaml`).match(/^agent: (.*)$/m)?.[1],
    );
    expect(agents).toEqual(['assistant', 'architect', 'assistant']);
  });

  test('Ctrl-C stops the model, keeps what came, and gives the message back to edit', async () => {
    const { site, model, open } = await beginChat([{ answer: HONEY, stallAfter: 100 }, { answer: HONEY }]);
    const terminal = open('-m', 'Store the hony.');
    await terminal.shows(/Store the honey\n.*is writing · \d+ tokens/);
    terminal.send('\u0003');
    await terminal.shows(/Stopped \([\d,]+ tokens in, \d+ out\); saved as answer-1\.md\./);
    await terminal.until(() => lastRow(terminal).endsWith('│ Store the hony.'), 'the message');
    const turn = '.teddy/sessions/store-the-hony/01';
    expect(HONEY.startsWith(site.read(`${turn}/answer-1.md`))).toBe(true);
    expect(site.read(`${turn}/meta.yaml`)).toContain('outcome: interrupted');
    terminal.send('\u007f\u007f\u007fney.\r');
    await terminal.shows(/1 of 1.*n skip/s);
    expect(said(model)[0]).toContain('Store the honey.');
    expect(said(model)[0]).not.toContain('hony.');
    expect(site.read(`${turn}/message-2.md`)).toBe('Store the hony.\n');
  });

  test('a draft and a pending plan are there again after kill -9; Up brings back messages', async () => {
    const { site, open } = await beginChat([{ answer: HONEY }]);
    const first = open('-m', 'Store the honey.');
    await first.shows(/1 of 1.*n skip/s);
    first.signal('KILL');
    await first.ended;
    const second = open();
    await second.shows(/1 of 1.*n skip/s);
    second.send('y');
    await atPrompt(second);
    second.send('half a thou');
    const draft = '.teddy/sessions/store-the-honey/02/message.part';
    await second.until(() => site.has(draft) && site.read(draft) === 'half a thou', 'the draft');
    second.signal('KILL');
    await second.ended;
    const third = open();
    await third.shows('│ half a thou');
    third.send('\u001b[A');
    await third.until(() => lastRow(third).endsWith('│ Store the honey.'), 'the first message');
    third.send('\u001b[B');
    await third.until(() => lastRow(third).endsWith('│ half a thou'), 'the draft');
    third.send('\u0003');
    await third.shows('Press Ctrl-C again to leave. What you typed is kept.');
    await atPrompt(third);
    third.send('\u0003');
    expect(await third.ended).toMatchObject({ exit: 130 });
    expect(site.read(draft)).toBe('half a thou');
  });

  test('a large paste is kept, and all of it is sent', async () => {
    const { site, model, open } = await beginChat([{ answer: HONEY }]);
    const terminal = open();
    await atPrompt(terminal);
    const text = Array.from({ length: 4000 }, (_, i) => `Glass ${i}: honey 🍯 from the städt. bees.`).join(
      '\n',
    );
    terminal.send(`\u001b[200~${text}\u001b[201~`);
    await terminal.shows('Glass 3999: honey');
    const [session] = readdirSync(join(site.root, '.teddy/sessions'));
    const draft = `.teddy/sessions/${session}/01/message.part`;
    await terminal.until(() => site.has(draft) && site.read(draft) === text, 'the draft');
    terminal.send('\r');
    await terminal.shows(/1 of 1.*n skip/s);
    expect(said(model)[0]).toContain(text);
  });

  test('a reply to the question that ends a plan goes straight to the model', async () => {
    const ask = planOf([chat('Which colour?')], { title: 'Ask' });
    const { model, open } = await beginChat([{ answer: ask }, { answer: HONEY }]);
    const terminal = open('-m', 'Jam.');
    await terminal.shows(/Which colour\?\n\n {2}Your reply/);
    expect(terminal.text()).not.toContain('Actions');
    terminal.send('Blue.\r');
    await terminal.shows(/1 of 1 {2}CREATE.*n skip/s);
    expect(terminal.history()).toContain('You replied: Blue.');
    expect(terminal.history()).not.toContain('Report:');
    expect(said(model)[0]).toContain('Blue.');
    expect(model.requests).toHaveLength(2);
  });

  test('commands work as a reply to the agent too, and are not sent to the model', async () => {
    const ask = planOf([chat('Which colour?')], { title: 'Ask' });
    const { model, open } = await beginChat([{ answer: ask }, { answer: HONEY }]);
    const terminal = open('-m', 'Jam.');
    await terminal.shows(/Which colour\?\n\n {2}Your reply/);
    await submit(terminal, '/cost');
    await terminal.shows(/: 1 answer, [\d,]+ tokens in, [\d,]+ out/);
    await atReply(terminal);
    await submit(terminal, '/undo');
    await terminal.shows('/undo works at the next message, once this plan has ended.');
    await atReply(terminal);
    terminal.send('/nonsense\r');
    await terminal.shows('/nonsense is not a command.');
    await terminal.until(() => lastRow(terminal).includes('│ /nonsense'), 'what was typed');
    terminal.send('\u0015');
    await submit(terminal, '/quit');
    expect(await terminal.ended).toMatchObject({ exit: 0 });
    expect(terminal.history()).toContain('The plan is still waiting for your review.');

    const again = open();
    await again.shows(/Which colour\?\n\n {2}Your reply/);
    await submit(again, '//blue is a path');
    await again.shows(/1 of 1 {2}CREATE.*n skip/s);
    expect(said(model)[0]).toContain('/blue is a path');
    expect(said(model)[0]).not.toMatch(/\/(?:cost|undo|nonsense|quit|\/blue)/);
    expect(model.requests).toHaveLength(2);
  });

  test('a plan that would fail goes back by itself', async () => {
    const wrong = planOf([edit('README.md', ['no such line', 'x'])], { title: 'Wrong' });
    const { model, open } = await beginChat([{ answer: wrong }, { answer: HONEY }]);
    const terminal = open('-m', 'Honey.');
    await terminal.shows(/1 of 1 {2}CREATE.*n skip/s);
    expect(terminal.history()).toMatch(/Plan refused \(.*README\.md; saved as answer-1\.md\./);
    expect(model.requests).toHaveLength(2);
  });

  test('at its budget it asks, and continues only if you say so', async () => {
    const options = { model: ['inputPrice: 100', 'outputPrice: 100'] };
    const { model, open } = await beginChat([{ answer: HONEY }], options);
    const terminal = open('-m', 'Honey.', '--budget', '0.01');
    await terminal.shows('Continue beyond the budget?');
    expect(model.requests).toEqual([]);
    await terminal.shows('y continue this turn');
    terminal.send('y');
    await terminal.shows(/1 of 1.*n skip/s);
    expect(model.requests).toHaveLength(1);
  });
});

test('without a terminal, or as JSON, there is no conversation', async () => {
  const { site } = await beginChat([]);
  const next = 'Ask for a plan with teddy plan -m "…", then review and run it with teddy execute.';
  expect(await site.run(['chat', '-m', 'Honey.'])).toMatchObject({
    exit: 2,
    stderr: expect.stringContaining(`There is no terminal to chat in. ${next}`),
  });
  expect(await site.run(['chat', '--json'])).toMatchObject({
    exit: 2,
    stderr: expect.stringContaining(`teddy chat has no --json. ${next}`),
  });
  expect(site.has('.teddy/sessions')).toBe(false);
});
