// Eight threads with one domain for all and one of their own: all answers are those of one thread.

#include "expect.hpp"

#include <quaff.hpp>
#include <thread>

namespace {

constexpr int THREADS = 8;
constexpr int ROUNDS = 20;

std::string index_of(int number) {
  const std::string n = std::to_string(number + 3);
  return "(t*" + n + " + c)//" + n + "*128 + (t*" + n + " + c)%" + n + " + x//12*16 + x%12";
}

std::string domain_of(int number) { return "t=0..8191, x=0..1048575, c=0.." + std::to_string(number % THREADS + 2); }

std::string answer(const quaff::Simplifier &simplifier, const quaff::Expr &index, const quaff::Domain &domain) {
  const quaff::Answer answer = simplifier.simplify(index, domain);
  const auto lanes = simplifier.lanes(index, "t", domain);
  return answer.expr().text() + answer.text().whole() + std::to_string(lanes.constancy) + domain.text() + index.text();
}

} // namespace

int main() {
  const quaff::Simplifier simplifier;
  const quaff::Domain shared("t=0..8191, c=0..2, x=0..1048575");
  const quaff::Expr index("(t*3 + c)//12*16 + (t*3 + c)%12 + x//12");
  const std::string expected = answer(simplifier, index, shared);
  std::vector<std::string> serial;
  for (int number = 0; number < THREADS; ++number) serial.push_back(answer(simplifier, index_of(number), domain_of(number)));

  // handles whose texts no thread has asked for
  const quaff::Domain fresh_domain(shared);
  const quaff::Expr fresh_index(index);
  std::vector<int> right(THREADS, 0);
  std::vector<std::thread> threads;
  for (int number = 0; number < THREADS; ++number)
    threads.emplace_back([&, number] {
      const quaff::Expr own_index(index_of(number));
      const quaff::Domain own_domain(domain_of(number));
      for (int round = 0; round < ROUNDS; ++round) {
        right[static_cast<std::size_t>(number)] += answer(simplifier, fresh_index, fresh_domain) == expected;
        right[static_cast<std::size_t>(number)] += answer(simplifier, own_index, own_domain) == serial[static_cast<std::size_t>(number)];
      }
    });
  for (std::thread &thread : threads) thread.join();
  for (int count : right) EXPECT(count == 2 * ROUNDS);
  return 0;
}
