// An executor that knows its tasks by heart, in place of one that asks a model: it reads its prompt, changes files and prints a
// result. Its first attempt at formatting is wrong and claims success; with the feedback in its prompt it does better.
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';

const prompt = readFileSync(0, 'utf8');
const { TEDDY_TASK_ID: task, TEDDY_TASK_NAME: name, TEDDY_ATTEMPT: attempt } = process.env;
const wasWrong = prompt.startsWith('# Earlier attempts');

const WORK = {
  '01-01:1': {
    file: 'src/convert.mjs',
    text: 'export function toFahrenheit(celsius) {\n  return (celsius * 9) / 5 + 32;\n}\n',
    check: 'node test/convert.mjs',
  },
  '01-02:1': {
    file: 'src/format.mjs',
    text: `export function format(degrees, unit) {\n  return \`\${degrees${wasWrong ? '.toFixed(1)' : ''}} °\${unit}\`;\n}\n`,
    check: 'node test/format.mjs',
  },
  '01-03:1': {
    file: 'weather.mjs',
    text: `import { toFahrenheit } from './src/convert.mjs';
import { format } from './src/format.mjs';

const celsius = Number(process.argv[2]);
console.log(\`\${format(celsius, 'C')} = \${format(toFahrenheit(celsius), 'F')}\`);
`,
    check: 'node weather.mjs 21.5',
  },
};

const { file, text, check } = WORK[task];
console.error(`Writing ${file}`);
mkdirSync(dirname(file), { recursive: true });
writeFileSync(file, text);
console.log(`status: success
task_name: ${JSON.stringify(name)}
files_modified: [${file}]
verification:
  command: ${JSON.stringify(check)}
  exit_code: 0
  output_summary: It passed
done_criteria_met: true
evidence: |
  I wrote ${file}, and ${check} passes.
error: null
metadata:
  attempt: ${attempt}`);
