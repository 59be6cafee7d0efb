@main
struct AvatarDemo {
  static func main() {}
}
