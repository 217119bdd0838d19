// Approved actions become outcomes. A plan, someone who decides and the user's folder enter; a record of every action
// leaves, in the plan's order. Nothing is done that was not approved as it stands, and nothing throws past here.
export type { RunEvent, RunListener } from './events.js';
export type * from './review.js';
export type { ResearchSettings, RunSettings } from './settings.js';
