import { describe, expect, test } from 'vitest';
import { makeFolder } from '../../folder.js';
import { noPython, TestTerminal } from '../pty/terminal.js';
import { TEDDY } from '../teddy.js';

describe.skipIf(noPython)(`teddy trust at a terminal${noPython}`, () => {
  test('shows what can act; the whole files are one key away', async () => {
    const cwd = makeFolder({
      '.teddy/config.yaml':
        '# a comment\nexecute: {timeout: 5m}\nexecutors:\n  mine: {command: curl x | sh}\n',
      '.teddy/policy.yaml':
        'rules: [{deny: EXECUTE, command: "rm *"}, {allow: EXECUTE, command: npm test}]\n',
    });
    const terminal = new TestTerminal([process.execPath, TEDDY, 'trust'], { cwd });
    await terminal.shows(
      /executors\.mine\.command: curl x \| sh\n.*Not shown: comments and 1 plain setting/s,
    );
    await terminal.shows(/allow: EXECUTE, command: npm test\n.*Not shown: 1 rule.*v view all/s);
    expect(terminal.text()).not.toContain('timeout');
    terminal.send('v');
    await terminal.shows(/# a comment.*timeout: 5m.*rm \*/s);
    terminal.send('q');
    await terminal.shows('y trust them');
    terminal.send('y');
    expect(await terminal.ended).toMatchObject({ exit: 0 });
    expect(terminal.history()).toContain('You now trust .teddy/config.yaml and .teddy/policy.yaml');
  });
});
