// `teddy setup` at a terminal: one question after another. Nothing is sent before the user agrees, and nothing is written here.
import { PROVIDER_NAMES, providerOf } from '../../../../config/providers.js';
import { UserError } from '../../../../node/errors.js';
import { environment, onSignals } from '../../../../node/terminal/terminal.js';
import { listModels, type ModelChoice } from '../../../../sessions/model/try-model.js';
import { BLANK, foreignLine, type Line, prose, say } from '../../terminal/line.js';
import { Panel } from '../../terminal/panel.js';
import { startProgress } from '../../terminal/progress-line.js';
import { openScreen, type Screen } from '../../terminal/screen.js';
import { typeText } from '../../terminal/text-area.js';
import { plural } from '../../words.js';
import {
  describeMissingKey,
  keyFor,
  readAddress,
  readProvider,
  readVariable,
  runTrial,
  type SetupChoice,
  type SetupOptions,
} from './model-choice.js';

export interface SetupQuestions {
  /** Undefined if the user cancels. */
  ask(): Promise<SetupChoice | undefined>;
  close(): void;
}

/** Undefined without a terminal. */
export function openSetup(options: SetupOptions): SetupQuestions | undefined {
  const screen = openScreen(options);
  if (screen === undefined) return undefined;
  screen.openKeyboard();
  const questions = new Questions(screen, options);
  return {
    async ask() {
      try {
        return await questions.run();
      } catch (error) {
        if (error instanceof Left) return undefined;
        throw error;
      }
    },
    close: () => screen.close(),
  };
}

const FREE_TRIAL = 'teddy fetches its list of models and asks for one word, at ';
const PAID_TRIAL =
  'teddy fetches its list of models (free) and asks for one word (a fraction of a cent), at ';

/** Thrown when the user cancels or the terminal is gone. */
class Left extends Error {}

/** Longer lists are cut off. */
const MOST_NAMES = 200;

class Questions {
  /** Is on the screen already. */
  private listFailure: string | undefined;

  constructor(
    private readonly screen: Screen,
    private readonly options: SetupOptions,
  ) {}

  async run(): Promise<SetupChoice> {
    for (;;) {
      const provider = this.options.provider
        ? readProvider(this.options.provider)
        : await this.chooseProvider();
      const place = await this.choosePlace(provider);
      const mayTry = await this.allowRequests(place);
      const name = this.options.model?.trim() || (await this.chooseName(place, mayTry));
      const choice = { ...place, name };
      if (!mayTry) return { choice, trial: { status: 'skipped' } };
      const trial = await this.whileWorking(`Trying ${name}`, (signal) => runTrial(choice, signal));
      if (trial.status !== 'failed') {
        this.screen.print([say('It works.', 'good')]);
        return { choice, trial };
      }
      if ((await this.showFailure(trial.reason)) === 's') return { choice, trial };
    }
  }

  private async chooseProvider(): Promise<ModelChoice['provider']> {
    const width = Math.max(...PROVIDER_NAMES.map((name) => providerOf(name).title.length));
    const key = await this.askPanel(
      [
        say('Which model should teddy ask?', 'title', 0),
        say(
          'teddy saves your choice for all your projects. Keys stay in environment variables.',
          undefined,
          0,
        ),
        BLANK,
        ...PROVIDER_NAMES.map((name, at) => {
          const { title, keyEnv, baseURL } = providerOf(name);
          const state =
            keyEnv === null ? (baseURL ?? '') : `${keyEnv} is ${environment(keyEnv) ? 'set' : 'not set'}`;
          return prose([
            { text: `${at + 1}  `, style: 'title' },
            { text: title.padEnd(width + 2) },
            { text: state, style: 'dim' },
          ]);
        }),
      ],
      [
        ...PROVIDER_NAMES.map((_, at) => ({
          key: String(at + 1),
          shown: `1-${PROVIDER_NAMES.length}`,
          label: 'choose',
          quiet: at > 0,
        })),
        { key: 'q', label: 'leave', also: ['escape'] },
      ],
    );
    const chosen = PROVIDER_NAMES[Number(key) - 1]!;
    this.showAnswer(providerOf(chosen).title);
    return chosen;
  }

  /** The address and the variable for the key. */
  private async choosePlace(provider: ModelChoice['provider']): Promise<ModelChoice> {
    const usual = providerOf(provider);
    const baseURL = this.options.baseUrl
      ? readAddress(this.options.baseUrl)
      : (usual.baseURL ??
        (await this.type('Address of the API, such as http://localhost:8000/v1', readAddress)));
    const named = this.options.keyEnv === undefined ? usual.keyEnv : readVariable(this.options.keyEnv);
    const place = { provider, name: '', baseURL };
    if (usual.baseURL === null && this.options.keyEnv === undefined) {
      const keyEnv = await this.type('Variable that holds the key (empty: no key needed)', (text) =>
        text === '' ? null : readVariable(text),
      );
      return { ...place, keyEnv };
    }
    if (named === null || environment(named)) return { ...place, keyEnv: named };
    const key = await this.askPanel(
      [
        say(`${named} is not set.`, 'flag', 0),
        say(`It must hold your key for ${usual.title}. In your shell: export ${named}=…`, undefined, 0),
      ],
      [
        { key: 'c', label: 'continue without it' },
        { key: 'k', label: 'the key is in another variable' },
        { key: 'q', label: 'leave', also: ['escape'] },
      ],
    );
    const keyEnv = key === 'k' ? await this.type('Variable that holds the key', readVariable) : named;
    return { ...place, keyEnv };
  }

  /** Whether requests to the service are allowed. */
  private async allowRequests(place: ModelChoice): Promise<boolean> {
    if (place.keyEnv !== null && !environment(place.keyEnv)) {
      this.screen.print([say(describeMissingKey(place.keyEnv), 'flag')]);
      return false;
    }
    if (this.options.yes) return true;
    const key = await this.askPanel(
      [
        say('May teddy contact the model now?', 'title', 0),
        prose(
          [
            { text: place.keyEnv === null ? FREE_TRIAL : PAID_TRIAL },
            ...foreignLine(place.baseURL, this.screen.look, 'strong'),
            ...(place.keyEnv === null ? [] : [{ text: `, with the key in ${place.keyEnv}` }]),
            { text: '.' },
          ],
          0,
        ),
      ],
      [
        { key: 'y', label: 'yes' },
        { key: 'n', label: 'no, only save it' },
        { key: 'q', label: 'leave', also: ['escape'] },
      ],
    );
    return key === 'y';
  }

  private async chooseName(place: ModelChoice, mayTry: boolean): Promise<string> {
    const names = mayTry ? await this.listNames(place) : [];
    if (names.length > 0) {
      const { look } = this.screen;
      const shown = names.slice(0, MOST_NAMES);
      const width = String(shown.length).length;
      const more = names.length - shown.length;
      this.screen.print([
        BLANK,
        say(`${plural(names.length, 'model')}:`, 'title', 0),
        ...shown.map((name, at) =>
          prose([{ text: `${String(at + 1).padStart(width)}  `, style: 'dim' }, ...foreignLine(name, look)]),
        ),
        ...(more > 0 ? [say(`and ${more} more`, 'dim')] : []),
      ]);
    }
    const title = names.length > 0 ? 'Name or number of the model' : 'Name of the model';
    return this.type(title, (text) => {
      if (text === '') throw new UserError('Type the name of a model.');
      if (names.length === 0 || !/^\d+$/.test(text)) return text;
      const numbered = names[Number(text) - 1];
      if (numbered === undefined) throw new UserError(`Type a name, or a number from 1 to ${names.length}.`);
      return numbered;
    });
  }

  private async listNames(place: ModelChoice): Promise<string[]> {
    const list = await this.whileWorking('Getting the list of models', (signal) =>
      listModels(place, { key: keyFor(place), signal }),
    );
    if (list.status === 'models') return list.names;
    this.listFailure = list.status === 'failed' ? list.reason : undefined;
    const reason = list.status === 'failed' ? list.reason : 'This service does not list its models.';
    this.screen.print([prose(foreignLine(reason, this.screen.look, 'flag'))]);
    return [];
  }

  /** What was chosen or typed stays on the screen, as a message does in a chat. */
  private showAnswer(text: string): void {
    if (text !== '') this.screen.print([prose(foreignLine(`> ${text}`, this.screen.look), 0)]);
  }

  private showFailure(reason: string): Promise<string> {
    const isNew = reason !== this.listFailure;
    return this.askPanel(
      [
        say(
          isNew ? 'The model cannot be used.' : 'The model cannot be used, for the reason above.',
          'title',
          0,
        ),
        ...(isNew ? [prose(foreignLine(reason, this.screen.look), 0)] : []),
      ],
      [
        { key: 'r', label: 'choose again' },
        { key: 's', label: 'save it anyway' },
        { key: 'q', label: 'leave', also: ['escape'] },
      ],
    );
  }

  private async askPanel(
    lines: readonly Line[],
    choices: ConstructorParameters<typeof Panel>[1]['choices'],
  ): Promise<string> {
    const key = await new Panel(this.screen, { build: () => [...lines], choices }).ask();
    this.screen.endAsking();
    if (!choices.some((choice) => choice.key === key) || key === 'q') throw new Left();
    return key;
  }

  /** Asks until `read` accepts the text, showing the reason each time. */
  private async type<T>(title: string, read: (text: string) => T): Promise<T> {
    for (let text = ''; ; ) {
      const typed = await typeText(this.screen, {
        title,
        enter: 'continue',
        esc: 'leave',
        oneLine: true,
        text,
      });
      if (typed.status !== 'done') throw new Left();
      try {
        const value = read(typed.text.trim());
        this.showAnswer(typed.text.trim());
        return value;
      } catch (error) {
        if (!(error instanceof UserError)) throw error;
        this.screen.print([prose(foreignLine(error.message, this.screen.look, 'flag'))]);
        text = typed.text;
      }
    }
  }

  /** Ctrl-C aborts `work`. */
  private async whileWorking<T>(what: string, work: (signal: AbortSignal) => Promise<T>): Promise<T> {
    const { screen } = this;
    return screen.lend(async () => {
      const aborter = new AbortController();
      const stop = onSignals(() => aborter.abort());
      const draw = (line: Line | undefined) => screen.drawFoot(line === undefined ? [] : [screen.row(line)]);
      const progress = startProgress(what, { color: this.options.color, draw });
      try {
        return await work(aborter.signal);
      } finally {
        progress.end();
        stop();
      }
    });
  }
}
