import { answerParent } from '../../platform/worker.js';
import { readHtml } from './readable-html.js';

answerParent(readHtml);
