import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { noPython, TestTerminal } from '../cli/pty/terminal.js';
import { makeFolder } from '../folder.js';
import { startModelServer } from '../model-server.mjs';
import { installPackage } from './registry.js';

// From `npm install -g` of the packed tarball to a first change that was reviewed and run, typed as a new user does.

const PROMPT = 'ready>';

let programs: string;

const installed = mkdtempSync(join(tmpdir(), 'teddy-installed-'));

beforeAll(async () => {
  programs = await installPackage(installed);
});

afterAll(() => rmSync(installed, { recursive: true, force: true }));

/** A shell in a folder, with the installed teddy, and a clipboard that is a file. */
class UserShell extends TestTerminal {
  readonly clipboard: string;
  readonly folder: string;

  constructor(files: Record<string, string>, env: Record<string, string> = {}) {
    const folder = makeFolder(files);
    const tools = makeFolder({
      clipboard: '',
      profile: `PS1='${PROMPT}'\n`,
      'bin/xsel': '#!/bin/sh\ncase "$*" in *--input*) cat > "$CLIPBOARD";; *) cat "$CLIPBOARD";; esac\n',
      'bin/pbcopy': '#!/bin/sh\ncat > "$CLIPBOARD"\n',
      'bin/pbpaste': '#!/bin/sh\ncat "$CLIPBOARD"\n',
    });
    for (const name of ['xsel', 'pbcopy', 'pbpaste']) chmodSync(join(tools, 'bin', name), 0o755);
    const clipboard = join(tools, 'clipboard');
    super(['sh', '-i'], {
      cwd: folder,
      columns: 100,
      rows: 50,
      env: {
        PATH: [join(tools, 'bin'), programs, process.env.PATH].join(delimiter),
        CLIPBOARD: clipboard,
        // What an interactive shell reads first.
        ENV: join(tools, 'profile'),
        ...env,
      },
    });
    this.folder = folder;
    this.clipboard = clipboard;
  }

  async type(command: string): Promise<void> {
    await this.finished();
    this.send(`${command}\r`);
    await this.until(() => this.history().includes(`${PROMPT}${command}`), command);
  }

  /** Waits until the shell is ready for the next command. */
  async finished(): Promise<void> {
    await this.shows(new RegExp(`\n${PROMPT}$|^${PROMPT}$`));
  }

  async answer(question: RegExp, key: string): Promise<void> {
    await this.shows(question);
    this.send(key);
  }

  read(path: string): string {
    return readFileSync(join(this.folder, path), 'utf8');
  }
}

describe.skipIf(noPython)(`the first hour${noPython}`, () => {
  test('teddy demo: review, run, undo', async () => {
    const shell = new UserShell({});
    await shell.type('teddy demo');
    await shell.answer(/1 of 4 {2}EDIT [\s\S]*y approve/, 'y');
    await shell.answer(/2 of 4 {2}CREATE [\s\S]*y approve/, 'y');
    await shell.answer(/3 of 4 {2}EXECUTE [\s\S]*y approve/, 'y');
    await shell.answer(/4 of 4 {2}EXECUTE [\s\S]*y approve/, 'n');
    await shell.answer(/Why skip it\?/, '\r');
    await shell.type('cd teddy-demo && teddy undo');
    expect(shell.read('teddy-demo/src/total.mjs')).toContain('item.price * item.quantity');
    await shell.finished();
    expect(shell.read('teddy-demo/src/total.mjs')).not.toContain('quantity');
  });

  test('a chat window: teddy get-prompt, paste, copy, teddy execute', async () => {
    const shell = new UserShell({ 'README.md': '# My project\n' });
    await shell.type('teddy get-prompt');
    await shell.finished();
    expect(readFileSync(shell.clipboard, 'utf8')).toContain('## Action Plan');
    expect(shell.history()).toContain('Paste it into a new chat');
    expect(shell.history()).not.toContain('## Action Plan');
    writeFileSync(shell.clipboard, ANSWER);
    await shell.type('teddy execute');
    await shell.answer(/1 of 1 {2}EDIT [\s\S]*y approve/, 'y');
    await shell.finished();
    expect(shell.read('README.md')).toBe('# Our project\n');
    expect(readFileSync(shell.clipboard, 'utf8')).toContain('# Execution Report: Share the project');
  });

  test('a model: teddy setup, teddy chat', async () => {
    const server = await startModelServer([{ answer: 'ready' }, { answer: ANSWER }]);
    onTestFinished(() => server.close());
    const shell = new UserShell({ 'README.md': '# My project\n' });
    await shell.type('teddy setup');
    await shell.answer(/7 {2}OpenAI-compatible server[\s\S]*q leave/, '7');
    await shell.answer(/Address of the API/, `${server.url}\r`);
    await shell.answer(/Variable that holds the key/, '\r');
    await shell.answer(/May teddy contact the model now\?[\s\S]*n no/, 'y');
    await shell.answer(/Name or number of the model/, 'test-model\r');
    await shell.type('teddy chat -m "Make it our project."');
    await shell.answer(/1 of 1 {2}EDIT [\s\S]*y approve/, 'y');
    await shell.answer(/Message to assistant/, '/quit\r');
    await shell.finished();
    expect(shell.read('README.md')).toBe('# Our project\n');
    expect(JSON.stringify(server.requests.at(-1)!.body)).toContain('Make it our project.');
  });
});

/** As a chat answers: with a remark before the plan. */
const ANSWER = `Sure! Here is the plan:

# Share the project
- **Status:** Green 🟢
- **Plan Type:** Documentation
- **Agent:** Assistant

## Rationale
\`\`\`\`text
### 1. Synthesis
The README says whose project it is.

### 2. Justification
It is everyone's.

### 3. Expected Outcome
The title says so.

### 4. State Dashboard
Title: this plan.
\`\`\`\`

## Action Plan

### \`EDIT\`
- **File Path:** [README.md](/README.md)
- **Description:** Change the title.

\`FIND:\`
\`\`\`\`
My project
\`\`\`\`
\`REPLACE:\`
\`\`\`\`
Our project
\`\`\`\`
`;
