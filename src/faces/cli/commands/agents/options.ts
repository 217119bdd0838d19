export const LEVEL = 'summary, detailed or comprehensive';
export const CLIENTS_HELP =
  'what printed the answer: claude, codex, gemini, opencode or text (default: text)';
export const LENIENT = 'read a report in a fence or other words, or not quite JSON (default at a terminal)';
export const NOT_LENIENT = 'read only one JSON object with nothing around it (default without a terminal)';
export const STRICT = 'the report keeps the schema of teddy agent schema --strict';
