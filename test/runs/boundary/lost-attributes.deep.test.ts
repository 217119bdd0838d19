import { afterEach, expect, test } from 'vitest';
import { renderMirrored } from '../../../src/core/report/mirrored.js';
import { setFileSeam } from '../../../src/node/file-calls.js';
import { makeFolder } from '../../folder.js';
import { executeHere } from './execute-here.js';

afterEach(() => setFileSeam(undefined));

const PLAN = `# Shorten a
- Status: Green 🟢
- Plan Type: Implementation
- Agent: Coder

## Rationale
\`\`\`text
It is too long.
\`\`\`

## Action Plan

### \`EDIT\`
- **File Path:** [a.txt](/a.txt)
- **Description:** Shorten it.

#### \`FIND:\`
\`\`\`text
long
\`\`\`
#### \`REPLACE:\`
\`\`\`text
short
\`\`\`
`;

test('attributes that the system does not let teddy keep are named in the outcome and in the report', async () => {
  const root = makeFolder({ 'a.txt': 'long\nand the rest\n' });
  setFileSeam(({ name, args }, perform) => {
    const lost = perform(args);
    return name === 'keepAttributes' ? [...(lost as string[]), 'security.selinux', 'user.note'] : lost;
  });
  const { run } = await executeHere(root, PLAN);
  const note = 'These extended attributes of a.txt could not be kept: security.selinux, user.note.';
  expect(run.actions[0]!.outcome).toMatchObject({ status: 'success', notes: [note] });
  expect(renderMirrored(run)).toContain(note);
});
