/** A machine as a picture has it: its states, nested, and what leads from one to another. Read from the machine object. */
export interface Chart {
  readonly id: string;
  /** What the machine takes in every state, one a line: `event [guard] / actions`. */
  readonly inner: readonly string[];
  /** Parents before their children. */
  readonly states: readonly ChartState[];
  readonly edges: readonly ChartEdge[];
}

export interface ChartState {
  /** The state as a dotted path. */
  readonly path: string;
  /** Its own name: the last part of the path. */
  readonly name: string;
  readonly parent?: string;
  readonly isInitial: boolean;
  /** Names of the actions that run as it is entered and left. */
  readonly entry: readonly string[];
  readonly exit: readonly string[];
  /** What its events do that lead nowhere else, one a line: `event [guard] / actions`. */
  readonly inner: readonly string[];
}

/** All transitions from one state to another: they share an arrow. */
export interface ChartEdge {
  /** `source -> target`. */
  readonly id: string;
  readonly source: string;
  readonly target: string;
  readonly rows: readonly ChartRow[];
}

export interface ChartRow {
  /** An event's type; empty where none is needed. */
  readonly event: string;
  readonly guard?: string;
  readonly actions: readonly string[];
}

/** A chart with its places, in pixels from the top left corner of the whole. */
export interface ChartLayout {
  readonly width: number;
  readonly height: number;
  /** The places of the states, by their paths. */
  readonly states: Readonly<Record<string, ChartBox>>;
  /** The ways of the edges, by their ids. */
  readonly edges: Readonly<Record<string, ChartWay>>;
}

export interface ChartBox {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

export interface ChartWay {
  readonly points: readonly ChartPoint[];
  /** What stands on it. Absent where it needs no words, and where there is no room for any. */
  readonly label?: ChartLabel;
}

export interface ChartLabel extends ChartBox {
  readonly text: string;
}

export interface ChartPoint {
  readonly x: number;
  readonly y: number;
}
