/** Letters and digits of any script, `.`, `_` and `-`: nothing that a path, a line or a command line takes for its own. */
const AGENT_NAME = /^[\p{L}\p{N}][\p{L}\p{M}\p{N}._-]{0,99}$/u;

export function isAgentName(name: string): boolean {
  return AGENT_NAME.test(name);
}

/** Names of agents are the same in any case. */
export function foldAgentName(name: string): string {
  return name.normalize('NFC').toLowerCase();
}
