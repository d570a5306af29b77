/** The panes of a task. */
export const PANES = [
  "outline",
  "transcript",
  "chart",
  "state",
  "sequence",
  "problems",
  "why",
  "raw",
  "compare",
] as const;

export type PaneName = (typeof PANES)[number];

export const isPaneName = (name: string): name is PaneName => PANES.some((pane) => pane === name);
