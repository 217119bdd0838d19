import implementer from './built-in/implementer.md';
import investigator from './built-in/investigator.md';
import architect from './built-in/planners/architect.md';
import assistant from './built-in/planners/assistant.md';
import debuggerPrompt from './built-in/planners/debugger.md';
import developer from './built-in/planners/developer.md';
import pathfinder from './built-in/planners/pathfinder.md';
import reviewer from './built-in/reviewer.md';

/** Built-in manuals by name. */
export const BUILT_IN: ReadonlyMap<string, string> = new Map([
  ['implementer', implementer],
  ['investigator', investigator],
  ['reviewer', reviewer],
]);

/** Built-in planners by name. */
export const BUILT_IN_PLANNERS: ReadonlyMap<string, string> = new Map([
  ['architect', architect],
  ['assistant', assistant],
  ['debugger', debuggerPrompt],
  ['developer', developer],
  ['pathfinder', pathfinder],
]);
