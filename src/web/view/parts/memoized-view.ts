/** A view that is drawn again only when one of its properties is another one. */
import { Component, type ComponentChild, type FunctionComponent, h } from "preact"

export const memo = <Props extends object>(view: FunctionComponent<Props>): FunctionComponent<Props> => {
  class Kept extends Component<Props> {
    override shouldComponentUpdate(next: Props): boolean {
      const known = new Map(Object.entries(this.props))
      return Object.entries(next).some(([name, value]) => known.get(name) !== value)
    }
    override render(): ComponentChild {
      return h(view, this.props)
    }
  }
  return (props) => h(Kept, props)
}
