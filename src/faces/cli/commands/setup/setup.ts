import { PROVIDER_NAMES, providerOf } from '../../../../config/providers.js';
import { setUserModel } from '../../../../config/user-config.js';
import { UserError } from '../../../../node/errors.js';
import { environment, onSignals, writeError } from '../../../../node/terminal/terminal.js';
import { TeddyCommand } from '../../command.js';
import { printResult, visibleLine } from '../../output.js';
import { findRootFor } from '../../project.js';
import {
  describeMissingKey,
  readAddress,
  readProvider,
  readVariable,
  runTrial,
  type SetupChoice,
  type SetupOptions,
} from './model-choice.js';

export const setupCommand = new TeddyCommand('setup')
  .description('choose the model that teddy asks, try it, and save it for all your projects')
  .option('--provider <name>', `the service: ${PROVIDER_NAMES.join(', ')}`)
  .option('--model <name>', 'the name of the model')
  .option('--base-url <url>', 'the address of the API, if it is not the usual one')
  .option('--key-env <name>', 'the variable that holds the key, if it is not the usual one')
  .option('-y, --yes', 'try the model without asking')
  .run(setup)
  .helpText(`Examples:
  teddy setup                                   ask for everything
  teddy setup --provider ollama --model qwen3   save it (--yes: try it first)
  teddy setup --provider lmstudio --model qwen3 --base-url http://lan:1234/v1

Writes ~/.config/teddy/config.yaml and keeps everything else in it. Keys stay in
environment variables: teddy never writes one to a file.
TEDDY_MODEL=PROVIDER/NAME overrides the saved model.`);

export async function setup(options: SetupOptions): Promise<number> {
  const root = findRootFor(options);
  const isComplete = options.provider !== undefined && options.model !== undefined;
  const decided = isComplete ? await setUpByOptions(options) : await askForModel(options);
  if (decided === undefined) {
    writeError('Nothing was changed.\n');
    return 130;
  }
  const { choice, trial } = decided;
  const usual = providerOf(choice.provider);
  if (trial.status === 'failed' && isComplete) throw new UserError(`${trial.reason} Nothing was saved.`);
  const file = await setUserModel({
    ...choice,
    baseURL: choice.baseURL === usual.baseURL ? null : choice.baseURL,
    keyEnv: choice.keyEnv === usual.keyEnv ? null : choice.keyEnv,
  });
  const { provider, name: model, baseURL, keyEnv } = choice;
  const result = { file, provider, model, baseURL, keyEnv, tried: trial.status };
  printResult(root, options, result, () => [
    `Saved: ${visibleLine(model)} (${usual.title})`,
    `    in ${visibleLine(file)}`,
    ...notes(decided),
    'Next: teddy chat -m "what you want"',
  ]);
  return 0;
}

function notes({ choice: { keyEnv }, trial }: SetupChoice): string[] {
  return [
    ...(trial.status === 'skipped' ? ['Not tried yet.'] : []),
    ...(keyEnv !== null && !environment(keyEnv) ? [describeMissingKey(keyEnv)] : []),
    ...(environment('TEDDY_MODEL') ? ['TEDDY_MODEL is set and overrides the saved model.'] : []),
  ];
}

async function askForModel(options: SetupOptions): Promise<SetupChoice | undefined> {
  const { openSetup } = await import('./setup-questions.js');
  const questions = openSetup(options);
  if (questions === undefined) {
    throw new UserError('There is no terminal to ask at. Pass --provider and --model.');
  }
  try {
    return await questions.ask();
  } finally {
    questions.close();
  }
}

async function setUpByOptions(options: SetupOptions): Promise<SetupChoice> {
  const provider = readProvider(options.provider!);
  const usual = providerOf(provider);
  const baseURL = options.baseUrl === undefined ? usual.baseURL : readAddress(options.baseUrl);
  const name = options.model!.trim();
  const keyEnv = options.keyEnv === undefined ? usual.keyEnv : readVariable(options.keyEnv);
  if (baseURL === null) throw new UserError(`${provider} needs --base-url, the address of the API.`);
  if (name === '') throw new UserError('--model is empty; write the name of a model.');
  const choice = { provider, name, baseURL, keyEnv };
  if (!options.yes) return { choice, trial: { status: 'skipped' } };
  if (keyEnv !== null && !environment(keyEnv)) throw new UserError(describeMissingKey(keyEnv));
  const aborter = new AbortController();
  const stop = onSignals(() => aborter.abort());
  try {
    return { choice, trial: await runTrial(choice, aborter.signal) };
  } finally {
    stop();
  }
}
