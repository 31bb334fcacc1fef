export const Button = (props: any) => <button {...props} />
