/** What an executor prints, for the help and for those who read a task. */
export const RESULT_FIELDS = `Fields of a result (YAML):
  status             success, failure or blocked
  task_name          the task's name, as the plan has it
  files_modified     a list of paths; [] for none
  verification       command, exit_code, output_summary; null where nothing ran
  done_criteria_met  true or false
  evidence           what was done, and what shows it
  error              null for a success, otherwise what went wrong
  metadata           duration_ms, attempt, executor_id (optional)`;

/** The same in a line. */
export const RESULT_FIELD_NAMES =
  'A result has status, task_name, files_modified, verification (command, exit_code, output_summary), done_criteria_met, evidence, error and metadata; teddy result --help explains them.';
