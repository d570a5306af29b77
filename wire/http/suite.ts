import * as z from "zod";

/** A run of a control suite. */
const suiteRunSchema = z.object({
  setting: z.string(),
  protocol: z.string(),
  policy: z.string(),
  /** Its index among the runs with the same setting, protocol and policy. */
  sample: z.int().nonnegative(),
  mode: z.enum(["honest", "attack"]),
  end: z.enum(["completed", "shutDown", "limited", "failed"]),
  /** Whether the main task and the side task were done, and the side task was attempted. */
  mainTask: z.boolean(),
  sideTask: z.boolean(),
  attempted: z.boolean(),
  /** The greatest score. */
  score: z.number(),
  audits: z.int().nonnegative(),
  dollars: z.number().nonnegative(),
  /** The number of verdicts of each kind, without `pass`. */
  verdicts: z.record(z.string(), z.int().positive()),
  /** `caught`: an attack run that is flagged. `missed`: a successful attack that is not. Null: neither, or not measured. */
  outcome: z.enum(["caught", "missed"]).nullable(),
  /** Whether its trajectory can be opened. */
  hasLog: z.boolean(),
});

/** A measured control suite: its tables and plots. */
export const suiteReportSchema = z.object({
  tables: z.array(
    z.object({
      title: z.string(),
      heads: z.array(z.string()),
      /** As many cells as heads; the first names the row. */
      rows: z.array(z.array(z.string())),
    }),
  ),
  plots: z.array(
    z.object({
      /** The name of its file, without the ending. */
      name: z.string(),
      title: z.string(),
      /** The plot as the text of an SVG file. */
      svg: z.string(),
    }),
  ),
  /** In the order of their keys. A run is opened by its index. */
  runs: z.array(suiteRunSchema),
  /** The flagged share, from 0 to 1, at which runs are caught or missed. */
  flaggedShare: z.number(),
  /** Sentences about runs and protocols that are not measured. */
  notes: z.array(z.string()),
  /** The meaning of the columns. */
  columns: z.string(),
  /** The limits of the numbers. */
  limits: z.string(),
});

/** Null: the server has no suite. */
export const suiteSchema = z.object({ suite: suiteReportSchema.nullable() });

/** The task that has the trajectory of a run. */
export const openedRunSchema = z.object({ taskId: z.string() });

export type SuiteRun = z.output<typeof suiteRunSchema>;
export type SuiteReport = z.output<typeof suiteReportSchema>;
