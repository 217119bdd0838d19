// Loaded when the first of them is opened.
export { ChangesPage } from '../views/changes.js';
export { RunPage } from './run-page.js';
