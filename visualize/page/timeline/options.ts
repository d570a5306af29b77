/** The choices of a person for the timeline. They are kept while the page is open, for every task. */
export interface TimelineOptions {
  /** Whether the axis is the time; otherwise each event has the same width. */
  readonly isTime: boolean;
  /**
   * Whether all lanes and controls are shown. Otherwise the lanes have a quarter of a window at most, and a phone has
   * the lane of the state and one row of controls.
   */
  readonly isExpanded: boolean;
  /** Whether the bars are listed as text. */
  readonly hasList: boolean;
}

export const TIMELINE_OPTIONS: TimelineOptions = { isTime: true, isExpanded: false, hasList: false };
