// Loaded when the first of them is opened.
export { TasksPage } from '../tasks/tasks-page.js';
export { MetricResultsPage } from './metric-results.js';
export { MetricsPage } from './metrics.js';
export { QuestionPage } from './question.js';
export { SessionPage } from './session.js';
export { SessionsPage } from './sessions.js';
