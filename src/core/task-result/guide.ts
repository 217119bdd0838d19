/** The fields of a result, for the help, for guides and for task briefings. */
export const RESULT_FIELDS = `Fields of a result (YAML):
  status             success, failure or blocked
  task_name          the task's name, as in the task file
  files_modified     a list of paths; [] for none
  verification       command, exit_code, output_summary; null if nothing ran
  done_criteria_met  true or false
  evidence           what was done, and what shows it
  error              null for a success, otherwise what went wrong
  metadata           duration_ms, attempt, executor_id (optional)`;
