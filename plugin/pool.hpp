// Copyright 2026 The dq_ik Authors
//
// Licensed under the Apache License, Version 2.0 (the "License");
// you may not use this file except in compliance with the License.
// You may obtain a copy of the License at
//
//     http://www.apache.org/licenses/LICENSE-2.0
//
// Unless required by applicable law or agreed to in writing, software
// distributed under the License is distributed on an "AS IS" BASIS,
// WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied.
// See the License for the specific language governing permissions and
// limitations under the License.

// Memory for calls that may run at the same time: taken by a call, kept for the next one.

#ifndef DQ_IK__POOL_HPP_
#define DQ_IK__POOL_HPP_

#include <memory>
#include <mutex>
#include <utility>
#include <vector>

namespace dq_ik
{

template <class Memory>
class Pool
{
public:
    // Holds memory until it goes out of scope.
    class Lease
    {
    public:
        Lease(Pool & pool, std::unique_ptr<Memory> memory) : pool_(pool), memory_(std::move(memory))
        {
        }
        ~Lease() { pool_.give_back(std::move(memory_)); }
        Lease(const Lease &) = delete;
        Lease & operator=(const Lease &) = delete;
        Memory & operator*() const { return *memory_; }

    private:
        Pool & pool_;
        std::unique_ptr<Memory> memory_;
    };

    // Take memory that is free, or make some.
    template <class... Arguments>
    Lease take(const Arguments &... arguments)
    {
        std::unique_ptr<Memory> memory;
        {
            const std::lock_guard<std::mutex> lock(mutex_);
            if (!free_.empty()) {
                memory = std::move(free_.back());
                free_.pop_back();
            }
        }
        return {*this, memory ? std::move(memory) : std::make_unique<Memory>(arguments...)};
    }

private:
    void give_back(std::unique_ptr<Memory> memory)
    {
        const std::lock_guard<std::mutex> lock(mutex_);
        free_.push_back(std::move(memory));
    }

    std::mutex mutex_;
    std::vector<std::unique_ptr<Memory>> free_;
};

}  // namespace dq_ik

#endif  // DQ_IK__POOL_HPP_
