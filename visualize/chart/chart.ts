/** The states and edges of a machine, for drawing. */
export interface Chart {
  readonly id: string;
  /** The root's transitions, one a line: `event [guard] / actions`. */
  readonly inner: readonly string[];
  /** Parents before their children. */
  readonly states: readonly ChartState[];
  readonly edges: readonly ChartEdge[];
}

/** A state of a chart. */
export interface ChartState {
  /** The state as a dotted path. */
  readonly path: string;
  /** The last part of the path. */
  readonly name: string;
  readonly parent?: string;
  readonly isInitial: boolean;
  /** The names of its entry and exit actions. */
  readonly entry: readonly string[];
  readonly exit: readonly string[];
  /** Its internal transitions, one a line: `event [guard] / actions`. */
  readonly inner: readonly string[];
}

/** All transitions from one state to another. */
export interface ChartEdge {
  /** `source -> target`. */
  readonly id: string;
  readonly source: string;
  readonly target: string;
  readonly rows: readonly ChartTransition[];
}

/** A transition of an edge. */
export interface ChartTransition {
  /** The event's type; empty for an eventless transition. */
  readonly event: string;
  readonly guard?: string;
  readonly actions: readonly string[];
}

/** The positions of a chart's states and edges, in pixels from its top left corner. */
export interface ChartLayout {
  readonly width: number;
  readonly height: number;
  /** The boxes of the states, by path. */
  readonly states: Readonly<Record<string, ChartBox>>;
  /** The routes of the edges, by id. */
  readonly edges: Readonly<Record<string, ChartRoute>>;
}

export interface ChartPoint {
  readonly x: number;
  readonly y: number;
}

export interface ChartBox extends ChartPoint {
  readonly width: number;
  readonly height: number;
}

/** The line of an edge, with its label. */
export interface ChartRoute {
  readonly points: readonly ChartPoint[];
  /** Its label. Absent if it needs none, or there is no space. */
  readonly label?: ChartLabel;
}

export interface ChartLabel extends ChartBox {
  readonly text: string;
}
