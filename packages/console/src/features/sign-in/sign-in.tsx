import { Empty } from '../../ui/empty.tsx';
export const SignIn = () => <Empty title="Sign in" />;
