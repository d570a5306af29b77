import * as z from "zod";

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
  /** Sentences about runs and protocols that are not measured. */
  notes: z.array(z.string()),
  /** The meaning of the columns. */
  columns: z.string(),
  /** The limits of the numbers. */
  limits: z.string(),
});

/** Null: the server has no suite. */
export const suiteSchema = z.object({ suite: suiteReportSchema.nullable() });

export type SuiteReport = z.output<typeof suiteReportSchema>;
