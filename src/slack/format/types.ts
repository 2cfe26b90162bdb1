/**
 * A block that Slack's SDK has no type for yet.
 * https://docs.slack.dev/reference/block-kit/blocks/data-visualization-block
 */
export interface ChartBlock {
  type: 'data_visualization'
  /** At most 50 characters. */
  title: string
  chart: {
    type: 'bar' | 'line'
    series: { name: string; data: { label: string; value: number }[] }[]
    axis_config: { categories: string[] }
  }
}
