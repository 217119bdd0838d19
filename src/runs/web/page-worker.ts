import { answerParent } from '../../node/worker.js';
import { readHtml } from './readable-html.js';

answerParent(readHtml);
