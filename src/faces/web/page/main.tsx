import { render } from 'preact';
import { App } from './app.js';
import { keepLeftovers } from './drafts.js';
import { watchTyping } from './keys.js';
import { announceQuestions } from './notifications.js';
import { connect } from './store.js';

// The page: what the server at this address knows of one project, shown and answered. It loads nothing from elsewhere.

announceQuestions();
keepLeftovers();
watchTyping();
render(<App />, document.getElementById('page')!);
void connect();
