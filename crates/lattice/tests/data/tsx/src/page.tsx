import { Button } from './button'

export function Page({ title }: { title: string }) {
  return (
    <main>
      <Header title={title} />
      <Button onPress={() => save(title)}>Save</Button>
    </main>
  )
}

const Header = (props: { title: string }) => <h1>{props.title}</h1>

function save(title: string): void {}
