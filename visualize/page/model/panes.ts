/** The panes of a task. */
export const PANES = [
  "chart",
  "state",
  "messages",
  "sequence",
  "conversation",
  "problems",
  "why",
  "compare",
] as const;

export type PaneName = (typeof PANES)[number];

export const isPaneName = (name: string): name is PaneName => PANES.some((pane) => pane === name);
