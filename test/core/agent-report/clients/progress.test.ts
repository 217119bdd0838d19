import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { CLIENT_DEFINITIONS } from '../../../../src/core/agent-report/clients/clients.js';
import { ProgressLines } from '../../../../src/core/agent-report/clients/progress.js';
import type { JsonClient } from '../../../../src/core/agent-report/types.js';

function recorded(name: string): string {
  return readFileSync(new URL(`../../../../spec/clients/recorded/${name}.stdout`, import.meta.url), 'utf8');
}

function shown(client: JsonClient, output: string, pieces = 1): string {
  const lines = new ProgressLines(CLIENT_DEFINITIONS[client].describeEvent);
  const size = Math.ceil(output.length / pieces);
  return Array.from({ length: pieces }, (_, at) => lines.push(output.slice(at * size, (at + 1) * size))).join(
    '',
  );
}

test.each<[JsonClient, string, string]>([
  ['claude', '2.1.325/stream-json', 'Write: /home/ada/p-claude-stream_json/alpha.txt'],
  ['codex', '0.166.0/ok', 'add: /home/ada/p-codex-ok/alpha.txt'],
  ['gemini', '0.61.0/stream-json', 'write_file: alpha.txt'],
  ['opencode', '1.18.33/ok', 'write: /home/ada/p-opencode-ok/alpha.txt'],
])('what %s does is shown in words, a line for each event', (client, name, written) => {
  const output = recorded(`${client}-${name}`);
  const lines = shown(client, output);
  const verified = {
    claude: 'Bash: ',
    codex: "/usr/bin/bash -lc '",
    gemini: 'run_shell_command: ',
    opencode: 'bash: ',
  };
  const end = client === 'codex' ? "'" : '';
  expect(lines.split('\n').filter((line) => !line.startsWith('Model metadata'))).toEqual([
    'I write the file.',
    written,
    'Now I verify it.',
    `${verified[client]}grep -qx alpha alpha.txt${end}`,
    'status: success',
    '',
  ]);
  // Output arrives in pieces of any size.
  expect(shown(client, output, 97)).toBe(lines);
});

test('errors on the way are shown, and lines that are no events as they are', () => {
  expect(shown('codex', recorded('codex-0.166.0/http401'))).toMatch(/^Reconnecting\.\.\. /m);
  expect(shown('gemini', 'YOLO mode is enabled.\n{"type":"error","message":"Loop detected"}\n')).toBe(
    'YOLO mode is enabled.\nLoop detected\n',
  );
  const retry = '{"type":"system","subtype":"api_retry","error_status":401,"session_id":"s"}\n';
  expect(shown('claude', retry)).toBe('trying again after an error of the API (HTTP 401)\n');
});

test('a huge event is skipped, and what follows is shown', () => {
  const huge = `{"type":"text","part":{"text":"${'x'.repeat(3_000_000)}"}}\n`;
  const next = '{"type":"text","part":{"text":"Done."}}\n';
  expect(shown('opencode', huge + next)).toBe('Done.\n');
  expect(shown('opencode', huge + next, 50)).toBe('Done.\n');
});
